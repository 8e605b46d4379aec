interface CountryRow {
  /** ISO 3166, two letters. */
  readonly code: string;
  readonly name: string;
  /** What else people call it. */
  readonly aliases?: readonly string[];
  /** Cities by region, the country's first city first. */
  readonly regions: Readonly<Record<string, readonly string[]>>;
}

/** The countries of the reference service's world by continent. Names are part of ids: what is there is never renamed. */
export const continents: Readonly<Record<string, readonly CountryRow[]>> = {
  Europe: [
    { code: 'AT', name: 'Austria', regions: { Vienna: ['Vienna'], Styria: ['Graz'] } },
    { code: 'BE', name: 'Belgium', regions: { Brussels: ['Brussels'], Flanders: ['Antwerp', 'Ghent'] } },
    { code: 'BG', name: 'Bulgaria', regions: { 'Sofia City': ['Sofia'], Plovdiv: ['Plovdiv'] } },
    { code: 'CH', name: 'Switzerland', regions: { Zurich: ['Zurich'], Geneva: ['Geneva'], Bern: ['Bern'] } },
    {
      code: 'CZ',
      name: 'Czechia',
      aliases: ['Czech Republic'],
      regions: { Prague: ['Prague'], 'South Moravia': ['Brno'] },
    },
    {
      code: 'DE',
      name: 'Germany',
      regions: { Berlin: ['Berlin'], Bavaria: ['Munich', 'Nuremberg'], Hamburg: ['Hamburg'], Hesse: ['Frankfurt'] },
    },
    { code: 'DK', name: 'Denmark', regions: { 'Capital Region': ['Copenhagen'], 'Central Denmark': ['Aarhus'] } },
    { code: 'EE', name: 'Estonia', regions: { Harju: ['Tallinn'], Tartu: ['Tartu'] } },
    { code: 'ES', name: 'Spain', regions: { Madrid: ['Madrid'], Catalonia: ['Barcelona'], Andalusia: ['Seville'] } },
    { code: 'FI', name: 'Finland', regions: { Uusimaa: ['Helsinki', 'Espoo'], Pirkanmaa: ['Tampere'] } },
    {
      code: 'FR',
      name: 'France',
      regions: { 'Ile-de-France': ['Paris'], Provence: ['Marseille'], Occitania: ['Toulouse'] },
    },
    {
      code: 'GB',
      name: 'United Kingdom',
      aliases: ['UK', 'Great Britain'],
      regions: { England: ['London', 'Manchester'], Scotland: ['Edinburgh', 'Glasgow'], Wales: ['Cardiff'] },
    },
    { code: 'GR', name: 'Greece', regions: { Attica: ['Athens'], 'Central Macedonia': ['Thessaloniki'] } },
    { code: 'HU', name: 'Hungary', regions: { Budapest: ['Budapest'], Hajdu: ['Debrecen'] } },
    { code: 'IE', name: 'Ireland', regions: { Leinster: ['Dublin'], Munster: ['Cork'] } },
    { code: 'IS', name: 'Iceland', regions: { 'Capital Area': ['Reykjavik'], Northeast: ['Akureyri'] } },
    { code: 'IT', name: 'Italy', regions: { Lazio: ['Rome'], Lombardy: ['Milan'], Piedmont: ['Turin'] } },
    {
      code: 'NL',
      name: 'Netherlands',
      aliases: ['Holland'],
      regions: { 'North Holland': ['Amsterdam'], 'South Holland': ['Rotterdam', 'The Hague'] },
    },
    { code: 'NO', name: 'Norway', regions: { Oslo: ['Oslo'], Vestland: ['Bergen'] } },
    {
      code: 'PL',
      name: 'Poland',
      regions: { Masovia: ['Warsaw'], 'Lesser Poland': ['Krakow'], Pomerania: ['Gdansk'] },
    },
    { code: 'PT', name: 'Portugal', regions: { Lisbon: ['Lisbon'], Norte: ['Porto'] } },
    { code: 'RO', name: 'Romania', regions: { 'Bucharest-Ilfov': ['Bucharest'], Transylvania: ['Cluj-Napoca'] } },
    { code: 'SE', name: 'Sweden', regions: { 'Stockholm County': ['Stockholm'], Scania: ['Malmo'] } },
    { code: 'UA', name: 'Ukraine', regions: { Kyiv: ['Kyiv'], Lviv: ['Lviv'] } },
  ],
  'North America': [
    {
      code: 'CA',
      name: 'Canada',
      regions: { Ontario: ['Toronto', 'Ottawa'], Quebec: ['Montreal'], 'British Columbia': ['Vancouver'] },
    },
    { code: 'MX', name: 'Mexico', regions: { 'Mexico City': ['Mexico City'], Jalisco: ['Guadalajara'] } },
    {
      code: 'US',
      name: 'United States',
      aliases: ['USA', 'United States of America'],
      regions: {
        'New York': ['New York', 'Buffalo'],
        California: ['Los Angeles', 'San Francisco', 'San Diego'],
        Texas: ['Dallas', 'Austin', 'Houston'],
        Illinois: ['Chicago'],
      },
    },
  ],
  'South America': [
    { code: 'AR', name: 'Argentina', regions: { 'Buenos Aires': ['Buenos Aires'], 'Santa Fe': ['Rosario'] } },
    { code: 'BR', name: 'Brazil', regions: { 'Sao Paulo': ['Sao Paulo'], Rio: ['Rio de Janeiro'] } },
    { code: 'CL', name: 'Chile', regions: { 'Santiago Region': ['Santiago'], Biobio: ['Concepcion'] } },
    { code: 'CO', name: 'Colombia', regions: { Bogota: ['Bogota'], Antioquia: ['Medellin'] } },
    { code: 'PE', name: 'Peru', regions: { Lima: ['Lima'], Cusco: ['Cusco'] } },
  ],
  Asia: [
    { code: 'AE', name: 'United Arab Emirates', aliases: ['UAE'], regions: { Dubai: ['Dubai'] } },
    { code: 'ID', name: 'Indonesia', regions: { Jakarta: ['Jakarta'], Bali: ['Denpasar'] } },
    { code: 'IL', name: 'Israel', regions: { 'Tel Aviv District': ['Tel Aviv'], Haifa: ['Haifa'] } },
    {
      code: 'IN',
      name: 'India',
      regions: { Maharashtra: ['Mumbai', 'Pune'], Delhi: ['New Delhi'], Karnataka: ['Bengaluru'] },
    },
    { code: 'JP', name: 'Japan', regions: { Kanto: ['Tokyo', 'Yokohama'], Kansai: ['Osaka', 'Kyoto'] } },
    { code: 'KR', name: 'South Korea', aliases: ['Korea'], regions: { Seoul: ['Seoul'], Yeongnam: ['Busan'] } },
    { code: 'MY', name: 'Malaysia', regions: { 'Federal Territory': ['Kuala Lumpur'], Penang: ['George Town'] } },
    { code: 'PH', name: 'Philippines', regions: { 'Metro Manila': ['Manila'], 'Central Visayas': ['Cebu'] } },
    { code: 'SG', name: 'Singapore', regions: { Singapore: ['Singapore'] } },
    { code: 'TH', name: 'Thailand', regions: { 'Central Thailand': ['Bangkok'], 'Northern Thailand': ['Chiang Mai'] } },
    { code: 'TR', name: 'Turkey', aliases: ['Turkiye'], regions: { Marmara: ['Istanbul'], Anatolia: ['Ankara'] } },
    { code: 'VN', name: 'Vietnam', regions: { 'Red River Delta': ['Hanoi'], Southeast: ['Ho Chi Minh City'] } },
  ],
  Africa: [
    { code: 'EG', name: 'Egypt', regions: { 'Greater Cairo': ['Cairo'], 'Nile Delta': ['Alexandria'] } },
    { code: 'KE', name: 'Kenya', regions: { 'Nairobi County': ['Nairobi'], Coast: ['Mombasa'] } },
    { code: 'MA', name: 'Morocco', regions: { 'Casablanca-Settat': ['Casablanca'], Marrakesh: ['Marrakesh'] } },
    { code: 'NG', name: 'Nigeria', regions: { Lagos: ['Lagos'], 'Federal Capital': ['Abuja'] } },
    { code: 'ZA', name: 'South Africa', regions: { Gauteng: ['Johannesburg'], 'Western Cape': ['Cape Town'] } },
  ],
  Oceania: [
    {
      code: 'AU',
      name: 'Australia',
      regions: { 'New South Wales': ['Sydney'], Victoria: ['Melbourne'], Queensland: ['Brisbane'] },
    },
    { code: 'NZ', name: 'New Zealand', regions: { Auckland: ['Auckland'], Wellington: ['Wellington'] } },
  ],
};

/** Groups by intended use, which a service puts forward: sets of countries, as this service sees them. */
export const promotedGroups: readonly {
  readonly name: string;
  readonly aliases: readonly string[];
  readonly countryCodes: readonly string[];
}[] = [
  {
    name: 'Strong Privacy Laws',
    aliases: ['privacy', 'private'],
    countryCodes: ['CH', 'IS', 'NO', 'DE', 'AT', 'FI', 'EE'],
  },
  {
    name: 'Fast Streaming',
    aliases: ['streaming', 'video', 'movies'],
    countryCodes: ['US', 'CA', 'GB', 'DE', 'NL', 'FR', 'SE', 'JP', 'KR', 'SG'],
  },
];

/** Where a client is that says no country: the code of a country, whose first city it is. */
export const homeCountryCode = 'NL';
