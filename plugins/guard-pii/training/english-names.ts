/** Frequent surnames of English-speaking countries that are missing in the packages, and some given names. */
export const ENGLISH_SURNAMES: readonly string[] =
  `Smith Johnson Williams Brown Jones Garcia Miller Davis Rodriguez Martinez Hernandez Lopez Gonzalez Wilson Anderson Thomas Taylor
Moore Jackson Martin Lee Perez Thompson White Harris Sanchez Clark Ramirez Lewis Robinson Walker Young Allen King Wright Scott
Torres Nguyen Hill Flores Green Adams Nelson Baker Hall Rivera Campbell Mitchell Carter Roberts Gomez Phillips Evans Turner Diaz
Parker Cruz Edwards Collins Reyes Stewart Morris Morales Murphy Cook Rogers Gutierrez Ortiz Morgan Cooper Peterson Bailey Reed
Kelly Howard Ramos Kim Cox Ward Richardson Watson Brooks Chavez Wood James Bennett Gray Mendoza Ruiz Hughes Price Alvarez Castillo
Sanders Patel Myers Long Ross Foster Jimenez Powell Jenkins Perry Russell Sullivan Bell Coleman Butler Henderson Barnes Gonzales
Fisher Vasquez Simmons Romero Jordan Patterson Alexander Hamilton Graham Reynolds Griffin Wallace Moreno West Cole Hayes Bryant
Herrera Gibson Ellis Tran Medina Aguilar Stevens Murray Ford Castro Marshall Owens Harrison Fernandez Mcdonald Woods Washington
Kennedy Wells Vargas Henry Chen Freeman Webb Tucker Guzman Burns Crawford Olson Simpson Porter Hunter Gordon Mendez Silva Shaw
Snyder Mason Dixon Munoz Hunt Hicks Holmes Palmer Wagner Black Robertson Boyd Rose Stone Salazar Fox Warren Mills Meyer Rice
Schmidt Garza Daniels Ferguson Nichols Stephens Soto Weaver Ryan Gardner Payne Grant Dunn Kelley Spencer Hawkins Arnold Pierce
Hansen Peters Santos Hart Bradley Knight Elliott Cunningham Duncan Armstrong Hudson Carroll Lane Riley Andrews Alvarado Ray
Delgado Berry Perkins Hoffman Johnston Matthews Pena Richards Contreras Willis Carpenter Lawrence Sandoval Guerrero George Chapman
Rios Estrada Ortega Watkins Greene Nunez Wheeler Valdez Harper Burke Larson Santiago Maldonado Morrison Franklin Carlson Austin
Dominguez Carr Lawson Jacobs Obrien Lynch Singh Vega Bishop Montgomery Oliver Jensen Harvey Williamson Gilbert Dean Sims Espinoza
Howell Li Wong Reid Hanson Le Mccoy Garrett Burton Fuller Wang Weber Welch Rojas Lucas Marquez Fields Park Yang Little Banks
Padilla Day Walsh Bowman Schultz Luna Fowler Mejia Davidson Acosta Brewer May Holland Juarez Newman Pearson Curtis Cortez Douglas
Schneider Joseph Barrett Navarro Figueroa Keller Avila Wade Molina Stanley Hopkins Campos Barnett Bates Chambers Caldwell Beck
Lambert Miranda Byrd Craig Ayala Lowe Frazier Powers Neal Leonard Gregory Carrillo Sutton Fleming Rhodes Shelton Schwartz Norris
Jennings Rios Watts Duran Walters Cohen Mcdaniel Moran Parks Steele Vaughn Becker Holt Deleon Barker Terry Hale Leon Hail Benson
Haynes Horton Miles Lyons Pham Graves Bush Thornton Wolfe Warner Cabrera Mckinney Mann Zimmerman Dawson Lara Fletcher Page Mccarthy
Love Robles Cervantes Solis Erickson Reeves Chang Klein Salinas Fuentes Baldwin Daniel Simon Velasquez Hardy Higgins Aguirre Lin
Cummings Chandler Sharp Barber Bowen Ochoa Dennis Robbins Liu Ramsey Francis Griffith Paul Blair Oconnor Cardenas Pacheco Cross
Calderon Quinn Moss Swanson Chan Rivas Khan Rodgers Serrano Fitzgerald Rosales Stevenson Christensen Manning Gill Curry Mclaughlin
Harmon Mcgee Gross Doyle Garner Newton Burgess Reese Walton Blake Trujillo Adkins Brady Goodman Roman Webster Goodwin Fischer Huang
Potter Delacruz Montoya Todd Wu Hines Mullins Castaneda Malone Cannon Tate Mack Sherman Hubbard Hodges Zhang Guerra Wolf Valencia
Saunders Franco Rowe Gallagher Farmer Hammond Hampton Townsend Ingram Wise Gallegos Clarke Barton Schroeder Maxwell Waters Logan
Camacho Strickland Norman Person Colon Parsons Frank Harrington Glover Osborne Buchanan Casey Floyd Patton Ibarra Ball Tyler Suarez
Bowers Orozco Salas Cobb Gibbs Andrade Bauer Conner Moody Escobar Mcguire Lloyd Mueller Hartman French Kramer Mcbride Pope Lindsey
Velazquez Norton Mccormick Sparks Flynn Yates Hogan Marsh Macias Villanueva Zamora Pratt Stokes Owen Ballard Lang Brock Villarreal
Charles Drake Barrera Cain Patrick Pineda Burnett Mercado Santana Shepherd Bautista Ali Shaffer Lamb Trevino Mckenzie Hess Beil
Olsen Cochran Morton Nash Wilkins Petersen Briggs Shah Roth Nicholson Holloway Lozano Rangel Flowers Hoover Short Arias Mora
Valenzuela Bryan Meyers Weiss Underwood Bass Greer Summers Houston Carson Morrow Clayton Whitaker Decker Yoder Collier Zuniga Carey
Wilcox Melendez Poole Roberson Larsen Conley Davenport Copeland Massey Lam Huff Rocha Cameron Jefferson Hood Monroe Anthony Pittman
Huynh Randall Singleton Kirk Combs Mathis Christian Skinner Bradford Richard Galvan Wall Boone Kirby Wilkinson Bridges Bruce
Atkinson Velez Meza Roy Vincent York Hodge Villa Abbott Allison Tapia Gates Chase Sosa Sweeney Farrell Wyatt Dalton Horn Barron
Phelps Yu Dickerson Heath Foley Atkins Mathews Bonilla Acevedo Benitez Zavala Hensley Glenn Cisneros Harrell Shields Rubio Choi
Huffman Boyer Garrison Arroyo Bond Kane Hancock Callahan Dillon Cline Wiggins Grimes Arellano Melton Oneill Savage Ho Beltran Pitts
Parrish Ponce Rich Booth Koch Golden Ware Brennan Mcdowell Marks Cantu Humphrey Baxter Sawyer Clay Tanner Hutchinson Kaur Berg
Wiley Gilmore Russo Villegas Hobbs Keith Wilkerson Ahmed Beard Mcclain Montes Mata Rosario Vang Walter Henson Oneal Mosley Mcclure
Beasley Stephenson Snow Huerta Preston Vance Barry Johns Eaton Blackwell Dyer Prince Macdonald Solomon Guevara Stafford English
Hurst Woodard Cortes Shannon Kemp Nolan Mccullough Merritt Murillo Moon Salgado Strong Kline Cordova Barajas Roach Rosas Winters
Jacobson Lester Knox Bullock Kerr Leach Meadows Davila Orr Whitehead Pruitt Kent Conway Mckee Barr David Dejesus Marin Berger
Mcintyre Blankenship Gaines Palacios Cuevas Bartlett Durham Dorsey Mccall Odonnell Stein Browning Stout Lowery Sloan Mclean
Hendricks Calhoun Sexton Chung Gentry Hull Duarte Ellison Nielsen Gillespie Buck Middleton Sellers Leblanc Esparza Hardin Bradshaw
Mcintosh Howe Livingston Frost Glass Morse Knapp Herman Stark Bravo Noble Spears Weeks Corona Frederick Buckley Mcfarland Hebert
Enriquez Hickman Quintero Randolph Schaefer Walls Trejo House Reilly Pennington Michael Conrad Giles Benjamin Crosby Fitzpatrick
Donovan Mays Mahoney Valentine Raymond Medrano Hahn Mcmillan Small Bentley Felix Peck Lucero Boyle Hanna Pace Rush Hurley Harding
Mcconnell Bernal Nava Ayers Everett Ventura Avery Pugh Mayer Bender Shepard Mcmahon Landry Case Sampson Moses Magana Blackburn
Dunlap Gould Duffy Vaughan Herring Mckay Espinosa Rivers Farley Bernard Ashley Friedman Potts Truong Costa Correa Blevins Nixon
Clements Fry Delarosa Best Benton Lugo Portillo Dougherty Crane Haley Phan Villalobos Blanchard Horne Finley Quintana Lynn
Esquivel Bean Dodson Mullen Xiong Hayden Cano Levy Huber Richmond Moyer Lim Frye Sheppard Mccarty Avalos Booker Waller Parra
Woodward Jaramillo Krueger Rasmussen Brandt Peralta Donaldson Stuart Faulkner Maynard Galindo Coffey Estes Sanford Burch Maddox Vo
Oconnell Vu Andersen Spence Mcpherson Church Schmitt Stanton Leal Cherry Compton Dudley Sierra Pollard Alfaro Hester Proctor Lu
Hinton Novak Good Madden Mccann Terrell Jarvis Dickson Reyna Cantrell Mayo Branch Hendrix Rollins Rowland Whitney Duke Odom
Daugherty Travis Tang Archer Hogg Hooper Sinclair Ashworth Bancroft Barlow Birch Bowden Bramley Burrows Chadwick Coates Croft
Dawkins Dodd Eccles Fairclough Farrow Gough Greenwood Hargreaves Haworth Hewitt Hirst Holden Hussain Iqbal Kaye Kendall Lockwood
Mahmood Metcalfe Naylor Nuttall Oakley Ogden Pickering Pritchard Rahman Ramsden Rawson Redmond Rowley Rudd Sharpe Slater Stubbs
Swift Thorpe Tindall Tyson Whittaker Winstanley Wragg Yeates Fraser Sutherland Munro Ogilvie Drummond Kinnear Lennox Rennie
Cavanagh Kavanagh Keane Keating Kearney Nolan Noonan Scanlon Tierney Whelan`.split(/\s+/);

export const ENGLISH_GIVEN_NAMES: readonly string[] =
  `James Robert John Michael David William Richard Joseph Thomas Christopher Charles Daniel Matthew Anthony Mark Donald Steven
Andrew Paul Joshua Kenneth Kevin Brian George Timothy Ronald Jason Edward Jeffrey Ryan Jacob Gary Nicholas Eric Jonathan Stephen
Larry Justin Scott Brandon Benjamin Samuel Gregory Alexander Patrick Frank Raymond Jack Dennis Jerry Tyler Aaron Jose Adam Nathan
Henry Zachary Douglas Peter Kyle Noah Ethan Jeremy Christian Walter Keith Austin Roger Terry Sean Gerald Carl Dylan Harold Jordan
Jesse Bryan Lawrence Arthur Gabriel Bruce Logan Billy Joe Alan Juan Elijah Willie Albert Wayne Randy Mason Vincent Liam Roy Bobby
Caleb Bradley Russell Lucas Mary Patricia Jennifer Linda Elizabeth Barbara Susan Jessica Karen Sarah Lisa Nancy Sandra Ashley Emily
Kimberly Betty Margaret Donna Michelle Carol Amanda Melissa Deborah Stephanie Rebecca Sharon Laura Cynthia Dorothy Amy Kathleen
Angela Shirley Emma Brenda Pamela Nicole Anna Samantha Katherine Christine Debra Rachel Carolyn Janet Maria Olivia Heather Helen
Catherine Diane Julie Victoria Joyce Lauren Kelly Christina Ruth Joan Virginia Judith Evelyn Hannah Andrea Megan Cheryl Jacqueline
Madison Teresa Abigail Sophia Martha Sara Gloria Janice Kathryn Ann Isabella Judy Charlotte Julia Grace Amber Alice Jean Denise
Frances Danielle Marilyn Natalie Beverly Diana Brittany Theresa Kayla Alexis Doris Lori Tiffany Nigel Graham Trevor Clive Derek
Gareth Rhys Ewan Callum Hamish Fiona Moira Siobhan Niamh Aoife Ciara Declan Eoin Padraig Gemma Kirsty Imogen Poppy Tamsin Harriet
Mike Dave Steve Chris Tom Bob Bill Jim Rob Dan Matt Nick Alex Sam Ben Greg Jeff Kate Liz Beth Jen Meg Becky Vicky Tina Nina Rita
Mohammed Muhammad Ahmed Ali Omar Hassan Fatima Aisha Priya Raj Anjali Arjun Deepak Sunita Wei Ming Jun Hiroshi Yuki Kenji Haruto
Olga Ivan Dmitri Natasha Svetlana Boris Igor Pavel Anastasia Katarzyna Agnieszka Piotr Krzysztof Jan Hans Jürgen Klaus Heike Uwe
Lars Sven Ingrid Astrid Bjorn Pierre Jacques Camille Chloé Giulia Marco Luca Sofia Carlos Miguel Javier Lucía Carmen`.split(
    /\s+/,
  );
