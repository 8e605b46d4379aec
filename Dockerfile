# The image of tributary. Its root user has one capability, over its own network, and cannot write to the image:
#
#   docker build --tag tributary .
#   docker run --detach --name tributary --restart unless-stopped \
#     --cap-drop ALL --cap-add NET_ADMIN --security-opt no-new-privileges --read-only \
#     --memory 256m --pids-limit 256 --ulimit core=0 \
#     --device /dev/net/tun --tmpfs /run:mode=755,size=16m --volume tributary:/var/lib/tributary \
#     --sysctl net.ipv4.ip_forward=1 --sysctl net.ipv4.conf.default.rp_filter=2 \
#     --publish 127.0.0.1:9469:9469 --env TRIBUTARY_STATUS_LISTEN=0.0.0.0:9469 \
#     --env TRIBUTARY_SERVICE_BASE_URL=https://service.example tributary
#   docker exec --interactive --tty tributary tributary login
#
# config/compose.yaml says the same for Docker Compose, config/kubernetes.yaml for Kubernetes.

# Tags move. A release names both bases by digest, and the image says which: SECURITY.md, "The container image".
ARG NODE_BASE=node:24-trixie-slim
ARG DEBIAN_BASE=debian:trixie-slim

FROM ${NODE_BASE} AS build
RUN apt-get update \
 && apt-get install --yes --no-install-recommends binutils \
 && rm -rf /var/lib/apt/lists/*
WORKDIR /build
COPY package.json package-lock.json ./
COPY src/service/package.json src/service/
COPY src/connect/package.json src/connect/
COPY src/reference-service/package.json src/reference-service/
RUN npm ci --no-audit --no-fund
COPY rolldown.config.ts tsconfig.json ./
COPY src src
COPY tools tools
# The program as in the Debian package, with the Node that the lock file names.
RUN node tools/packaging/build-image.ts /image && install -d -m 755 /image/etc/tributary && install -d -m 700 /image/var/lib/tributary

FROM ${DEBIAN_BASE}
ARG DEBIAN_BASE
LABEL org.opencontainers.image.title=tributary \
      org.opencontainers.image.base.name=${DEBIAN_BASE} \
      org.opencontainers.image.description="Shares this host's bandwidth through a WireGuard tunnel, on its owner's terms" \
      org.opencontainers.image.licenses=Apache-2.0
RUN apt-get update \
 && apt-get install --yes --no-install-recommends \
      ca-certificates conntrack iproute2 iputils-ping libstdc++6 nftables perl-base tini util-linux wireguard-go wireguard-tools \
 && rm -rf /var/lib/apt/lists/* /var/cache/apt/* /var/cache/debconf/*-old /var/log/apt /var/log/dpkg.log
COPY --from=build /image /
RUN ["/usr/lib/tributary/node", "/usr/lib/tributary/compile.cjs"]
VOLUME /var/lib/tributary
# Root, because Docker gives other users no capability, and no-new-privileges keeps programs from having their own.
USER root
STOPSIGNAL SIGTERM
# As `tributary health`, without a Node each minute. It is patient by itself: five minutes once it has worked, an hour before that.
HEALTHCHECK --interval=60s --timeout=20s --start-period=120s --retries=3 CMD ["/usr/lib/tributary/health"]
# tini waits for the programs that outlive whoever started them, such as wireguard-go.
ENTRYPOINT ["tini", "--", "tributary"]
CMD ["run"]
