/**
 * A completion script for each shell. It asks the program at each Tab, so it does not change when
 * commands do.
 */
export const completionScripts = {
  bash: `# Completion of tributary(1) for bash, as \`tributary completion bash\` writes it.

_tributary() {
  local current=\${COMP_WORDS[COMP_CWORD]} answers
  [[ $current != '=' ]] || current=
  mapfile -t answers < <(tributary __complete bash -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  case \${answers[0]} in
    files) answers=(-f) ;;
    directories) answers=(-d) ;;
    *) answers=(-W "\${answers[*]:1}") ;;
  esac
  [[ \${answers[0]} == -W ]] || compopt -o filenames 2>/dev/null
  mapfile -t COMPREPLY < <(compgen "\${answers[@]}" -- "$current")
}

complete -F _tributary tributary
`,
  zsh: `#compdef tributary
# Completion of tributary(1) for zsh, as \`tributary completion zsh\` writes it.

_tributary() {
  local -a answers=("\${(@f)$(tributary __complete zsh -- "\${(@)words[2,CURRENT-1]}" "$PREFIX" 2>/dev/null)}")
  local kind=$answers[1]
  shift answers
  case $kind in
    files) compset -P '--*='; _files ;;
    directories) compset -P '--*='; _files -/ ;;
    *) _describe tributary answers ;;
  esac
}

if [ "$funcstack[1]" = _tributary ]; then
  _tributary "$@"
else
  compdef _tributary tributary
fi
`,
  fish: `# Completion of tributary(1) for fish, as \`tributary completion fish\` writes it.

function __tributary_complete
    set -l current (commandline -ct)
    set -l answers (tributary __complete fish -- (commandline -opc)[2..] "$current" 2>/dev/null)
    set -l option (string match -r -- '^--[^=]+=' "$current")
    set -l path (string replace -- "$option" '' "$current")
    switch "$answers[1]"
        case files
            printf '%s\\n' "$option"(__fish_complete_path "$path")
        case directories
            printf '%s\\n' "$option"(__fish_complete_directories "$path" '')
        case '*'
            printf '%s\\n' $answers[2..]
    end
end

complete -c tributary -f -a '(__tributary_complete)'
`,
} as const;

export type Shell = keyof typeof completionScripts;
