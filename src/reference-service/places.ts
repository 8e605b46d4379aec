/**
 * Countries by continent: code, names, and each region's cities, the main city first. After ` = `
 * is another name, such as the one that people use there. Ids are made from the first names, so
 * none of these may be renamed.
 */
export const continents: Readonly<Record<string, readonly string[]>> = {
  Europe: [
    'AT Austria | Vienna: Vienna = Wien | Styria: Graz',
    'BE Belgium | Brussels: Brussels = Bruxelles | Flanders: Antwerp = Antwerpen, Ghent',
    'BG Bulgaria | Sofia City: Sofia | Plovdiv: Plovdiv',
    'CH Switzerland | Zurich: Zurich | Geneva: Geneva = Genève = Genf | Bern: Bern',
    'CZ Czechia = Czech Republic | Prague: Prague = Praha = Prag | South Moravia: Brno',
    'DE Germany | Berlin: Berlin | Bavaria = Bayern: Munich = München, Nuremberg = Nürnberg | Hamburg: Hamburg | Hesse = Hessen: Frankfurt',
    'DK Denmark | Capital Region: Copenhagen = København | Central Denmark: Aarhus',
    'EE Estonia | Harju: Tallinn | Tartu: Tartu',
    'ES Spain | Madrid: Madrid | Catalonia = Cataluña: Barcelona | Andalusia = Andalucía: Seville = Sevilla',
    'FI Finland | Uusimaa: Helsinki, Espoo | Pirkanmaa: Tampere',
    'FR France | Ile-de-France: Paris | Provence: Marseille | Occitania: Toulouse',
    'GB United Kingdom = UK = Great Britain | England: London, Manchester | Scotland: Edinburgh, Glasgow | Wales: Cardiff',
    'GR Greece | Attica: Athens = Athina | Central Macedonia: Thessaloniki',
    'HU Hungary | Budapest: Budapest | Hajdu: Debrecen',
    'IE Ireland | Leinster: Dublin | Munster: Cork',
    'IS Iceland | Capital Area: Reykjavik | Northeast: Akureyri',
    'IT Italy | Lazio: Rome = Roma | Lombardy = Lombardia: Milan = Milano | Piedmont = Piemonte: Turin = Torino',
    'NL Netherlands = Holland | North Holland: Amsterdam | South Holland: Rotterdam, The Hague = Den Haag',
    'NO Norway | Oslo: Oslo | Vestland: Bergen',
    'PL Poland | Masovia: Warsaw = Warszawa | Lesser Poland: Krakow | Pomerania: Gdansk',
    'PT Portugal | Lisbon: Lisbon = Lisboa | Norte: Porto',
    'RO Romania | Bucharest-Ilfov: Bucharest = București | Transylvania: Cluj-Napoca',
    'SE Sweden | Stockholm County: Stockholm | Scania: Malmo',
    'UA Ukraine | Kyiv: Kyiv | Lviv: Lviv',
  ],
  'North America': [
    'CA Canada | Ontario: Toronto, Ottawa | Quebec: Montreal | British Columbia: Vancouver',
    'MX Mexico | Mexico City: Mexico City = Ciudad de México | Jalisco: Guadalajara',
    'US United States = USA = United States of America | New York: New York, Buffalo | California: Los Angeles, San Francisco, San Diego | Texas: Dallas, Austin, Houston | Illinois: Chicago',
  ],
  'South America': [
    'AR Argentina | Buenos Aires: Buenos Aires | Santa Fe: Rosario',
    'BR Brazil | Sao Paulo: Sao Paulo | Rio: Rio de Janeiro',
    'CL Chile | Santiago Region: Santiago | Biobio: Concepcion',
    'CO Colombia | Bogota: Bogota | Antioquia: Medellin',
    'PE Peru | Lima: Lima | Cusco: Cusco',
  ],
  Asia: [
    'AE United Arab Emirates = UAE | Dubai: Dubai',
    'ID Indonesia | Jakarta: Jakarta | Bali: Denpasar',
    'IL Israel | Tel Aviv District: Tel Aviv | Haifa: Haifa',
    'IN India | Maharashtra: Mumbai, Pune | Delhi: New Delhi | Karnataka: Bengaluru',
    'JP Japan | Kanto: Tokyo = 東京, Yokohama = 横浜 | Kansai: Osaka = 大阪, Kyoto = 京都',
    'KR South Korea = Korea | Seoul: Seoul = 서울 | Yeongnam: Busan',
    'MY Malaysia | Federal Territory: Kuala Lumpur | Penang: George Town',
    'PH Philippines | Metro Manila: Manila | Central Visayas: Cebu',
    'SG Singapore | Singapore: Singapore',
    'TH Thailand | Central Thailand: Bangkok | Northern Thailand: Chiang Mai',
    'TR Turkey = Turkiye | Marmara: Istanbul | Anatolia: Ankara',
    'VN Vietnam | Red River Delta: Hanoi | Southeast: Ho Chi Minh City',
  ],
  Africa: [
    'EG Egypt | Greater Cairo: Cairo | Nile Delta: Alexandria',
    'KE Kenya | Nairobi County: Nairobi | Coast: Mombasa',
    'MA Morocco | Casablanca-Settat: Casablanca | Marrakesh: Marrakesh',
    'NG Nigeria | Lagos: Lagos | Federal Capital: Abuja',
    'ZA South Africa | Gauteng: Johannesburg | Western Cape: Cape Town',
  ],
  Oceania: [
    'AU Australia | New South Wales: Sydney | Victoria: Melbourne | Queensland: Brisbane',
    'NZ New Zealand | Auckland: Auckland | Wellington: Wellington',
  ],
};

/**
 * Groups by use that a service recommends: their names, and the countries in which this service
 * sees them.
 */
export const promotedGroups: readonly {
  readonly names: readonly string[];
  readonly codes: readonly string[];
}[] = [
  {
    names: ['Strong Privacy Laws', 'privacy', 'private'],
    codes: ['CH', 'IS', 'NO', 'DE', 'AT', 'FI', 'EE'],
  },
  {
    names: ['Fast Streaming', 'streaming', 'video', 'movies'],
    codes: ['US', 'CA', 'GB', 'DE', 'NL', 'FR', 'SE', 'JP', 'KR', 'SG'],
  },
];

/** The country in whose first city a client is that names no place. */
export const homeCountryCode = 'NL';
