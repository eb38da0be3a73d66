export const OCCUPATIONS: readonly string[] =
  'teacher,nurse,software engineer,Sales manager,plumber,Chief Executive Officer,Head of Marketing,lawyer,accountant,Civil engineer,carpenter,singer,actor,Managing director,painter,journalist,data scientist,Product manager,Human resources specialist,waiter,chemist,farmer,Tax advisor,physicist,poet,electrician,Office clerk,Truck driver,professor,librarian,Project coordinator,mayor,architect,police officer,Clinical psychologist,Web developer,photographer,Insurance agent,cook,footballer'.split(
    ',',
  );

export const TITLES: readonly string[] = 'Mr. Mrs. Ms. Dr. Prof. Mr Mrs Ms Dr Miss Mr. Mrs. Ms.'.split(' ');

export const NATIONALITIES: readonly string[] =
  'German French Italian Spanish Portuguese Polish Czech Slovak Hungarian Austrian Swiss Dutch Belgian Danish Swedish Norwegian Finnish Icelandic Irish British English Scottish Welsh American Canadian Mexican Brazilian Argentine Chilean Peruvian Colombian Cuban Russian Ukrainian Turkish Greek Bulgarian Romanian Serbian Croatian Slovenian Albanian Egyptian Moroccan Tunisian Algerian Nigerian Ghanaian Kenyan Ethiopian Indian Pakistani Bangladeshi Nepali Chinese Japanese Korean Vietnamese Thai Indonesian Malaysian Filipino Australian Israeli Iranian Iraqi Syrian Lebanese Saudi Cambodian'.split(
    ' ',
  );

export const PRODUCTS: readonly string[] =
  'Python JavaScript TypeScript React Docker Kubernetes Linux Windows Android iPhone Excel PowerPoint Word Outlook Gmail Google Microsoft Apple Amazon Facebook Twitter YouTube Netflix Spotify Instagram WhatsApp Slack Zoom GitHub GitLab Jira Postgres PostgreSQL MySQL Redis Kafka Java Rust Go Ruby Perl PHP Node.js Vue Angular Tesla Toyota Volvo BMW Mercedes Audi Samsung Nokia Sony Nintendo PlayStation Xbox ChatGPT OpenAI Claude Gemini Azure AWS SQL HTML CSS JSON XML HTTP API PDF USB Bluetooth Wi-Fi Photoshop Firefox Chrome Safari Visa PayPal Uber Airbnb Wikipedia Reddit LinkedIn TikTok Terraform Ansible Jenkins Grafana Prometheus'.split(
    ' ',
  );

export const MONTHS: readonly string[] =
  'January February March April May June July August September October November December'.split(' ');

export const WEEKDAYS: readonly string[] = 'Monday Tuesday Wednesday Thursday Friday Saturday Sunday'.split(' ');
