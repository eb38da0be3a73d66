// Made by training/language-words.ts from wordfreq by R. Speer (CC BY-SA 4.0). Do not edit.
/** Words after their penalty in each of the languages of {@link LATIN}: 0 where the word is most frequent, 8 where it is rarest. */
export const LANGUAGE_WORDS = `
  00010020 g
  00254243 st
  00288088 interview
  00324111 dr
  00508538 videos
  00512012 hotel
  00673554 okay
  00778883 region
  00876577 text
  00881083 partner
  01055476 union
  01068788 version
  01108808 normal
  01132065 bus
  01161152 album
  01186487 minute
  01232133 oh
  01236288 fans
  01333362 wow
  01444256 hey
  01531037 app
  01665454 gold
  01666162 bank
  01676365 sex
  01776065 japan
  01808808 material
  01881088 in
  01881188 computer
  01884076 wind
  01888088 hand kind
  01888884 form
  01888888 also person
  02011045 club
  02018181 plan
  02100031 radio
  02120213 bar
  02121126 anti
  02151343 mobile
  02167365 cool
  02188888 position
  02208708 total
  02222124 york
  02231254 fan
  02232222 pop
  02251283 test
  02286177 station
  02318608 original
  02322313 rock
  02361563 standard
  02362276 manager
  02384888 positive
  02421222 post
  02443132 park
  02464256 league
  02466656 ball
  02554355 island
  02565365 hi
  02664765 mass
  02674176 team
  02675357 shop
  02675478 jobs
  02685667 pass
  02711288 gas
  02787466 bad
  02852111 status
  02877173 sorry
  02887871 system
  02888088 rest
  02888186 was
  02888188 details
  02888288 teams
  02888788 operation
  02888888 england will
  03051646 note
  03054455 camp
  03075266 code
  03083288 budget
  03088788 main
  03176666 nation
  03177266 content
  03254244 international
  03277475 fit
  03323234 obama
  03333333 smith
  03342372 lol
  03343345 master
  03354145 top
  03376566 stars
  03414343 red
  03456658 stock
  03464346 box
  03475467 management
  03483436 design
  03565155 west
  03574245 live
  03576463 fair
  03610041 media
  03665365 cup
  03677557 block
  03678757 us
  03775566 party
  03788284 start
  03788288 plant
  03807778 personal
  03818708 regional
  03878884 ran
  03883478 private
  03887288 training
  03888787 systems
  03888887 germany
  04062388 date
  04066465 air
  04086477 service
  04158577 division
  04287475 front
  04288868 information
  04315405 global
  04345444 hall
  04365355 challenge
  04384278 coach
  04434337 texas
  04454344 beach street
  04454444 black
  04454445 sir
  04454465 lord
  04488888 million
  04555454 blue
  04555455 wall
  04563444 news
  04565445 dance
  04654334 center
  04654435 show
  04665454 channel
  04676455 ice
  04676565 story
  04687182 model
  04688488 captain
  04688688 episode
  04784254 award
  04785458 single
  04786577 ass
  04788488 deal
  04882288 account
  04885688 community
  04886678 sound
  04888284 student
  04888377 modern
  04888488 event
  04888588 statement
  04888677 hell
  04888688 events
  04888888 fell listen
  05075555 secret
  05075556 action
  05087677 double
  05176464 style
  05176564 science
  05202405 social
  05267467 sports
  05285587 football
  05374637 performance
  05410545 re
  05454445 boy
  05466466 cash
  05563475 spot
  05564354 hot
  05565385 senior
  05565455 city
  05565456 cross
  05565554 dark
  05566456 boys
  05574055 open
  05576467 trip
  05585577 business
  05615516 real
  05664456 store
  05664573 uk
  05665456 mrs
  05666655 daily
  05675376 focus
  05675556 big
  05675566 new
  05676666 led
  05686456 girls
  05686888 rate
  05687576 speed
  05706466 doctor
  05766467 review
  05774275 college
  05776466 happy
  05776647 stories
  05776655 walking
  05776765 english
  05786576 european
  05786578 check
  05787366 studies
  05787457 games
  05787677 holding
  05788586 fuck
  05865545 reality
  05874355 cover
  05877478 track
  05878888 dad
  05886577 security
  05886588 special
  05888388 held
  05888467 kids
  05888587 high
  05888687 level safe
  05888888 bring find her lose potential rates
  06076465 association
  06085776 source
  06086566 force
  06086567 nature
  06088688 services
  06088888 administration
  06175267 machine
  06187788 collection
  06201685 sale
  06276466 national
  06277266 race
  06281778 leader
  06305605 central
  06385888 location
  06388677 nice
  06447568 sales
  06487667 office
  06555544 press
  06566466 mr
  06575456 girl
  06650313 data
  06665555 dream
  06675557 drive
  06676456 road
  06676466 sweet
  06676555 love
  06676566 free touch white
  06676656 dead
  06676667 western
  06676677 fat
  06677557 kid
  06677566 united
  06685665 screen
  06685688 meeting
  06685868 report
  06686456 voice
  06686676 space
  06686888 multiple
  06688577 battle clean
  06688686 fun
  06688688 support
  06732466 pre
  06752445 network
  06764055 project
  06765565 university
  06766446 society
  06766566 american play
  06775568 set
  06776456 east
  06776566 freedom glass
  06776656 dog power
  06776665 light
  06776667 exchange
  06776778 learning
  06777667 deep
  06783678 ride
  06785677 food
  06786588 credit
  06786666 basic group
  06786667 music
  06787278 best
  06787558 game
  06787677 trade
  06787686 welcome
  06787767 fire
  06787777 low
  06817708 hospital
  06866778 theory
  06868666 heavy
  06874668 card
  06876556 world
  06876566 technology
  06877066 word
  06878538 shows
  06885367 drink
  06886667 book player
  06886672 list
  06886787 paper
  06886788 economy
  06886888 all
  06887478 release
  06887556 hit
  06887566 key
  06887655 army
  06887673 walk
  06887677 access energy night
  06887687 christmas
  06887688 board easy
  06887776 let's
  06887778 congress
  06887888 analysis
  06888188 product
  06888288 half
  06888478 last
  06888585 win
  06888658 brother
  06888667 crazy
  06888687 holy yeah
  06888688 chief executive mom
  06888778 traffic
  06888877 hate
  06888878 sounds
  06888888 equipment features lack problems see
  07076456 village
  07087778 point
  07088488 dollars
  07088888 message parties surface
  07188267 impact
  07188788 public
  07278888 active
  07288888 plans
  07385488 stage
  07466567 records
  07485677 future
  07486678 end
  07488877 french
  07585374 stop
  07587657 age
  07631557 africa
  07683778 case
  07686788 range
  07687587 unit
  07687667 break
  07687668 short
  07688678 cars
  07766647 times
  07767777 full
  07776076 men
  07776577 fish
  07776656 house
  07776667 tree
  07777677 watch
  07785577 act
  07785788 sit
  07786277 hard
  07786675 slow
  07787576 eye
  07787677 peace
  07787678 coffee drop skin
  07787767 call
  07787768 british
  07787778 self
  07787788 pick
  07787877 language
  07787888 feeling standing
  07788588 quick
  07788677 heat
  07788878 defense
  07788888 value
  07808748 director
  07818677 control
  07823767 california
  07870788 estate
  07876456 earth
  07876566 south
  07876578 library
  07876776 politics
  07877574 indian
  07877656 search
  07877657 view
  07878878 prior
  07880766 russia
  07886667 day
  07886688 agency
  07886777 talk
  07886788 policy
  07887488 speech
  07887667 beyond home
  07887676 life
  07887677 blood human limited movie north save
  07887678 conference travel
  07887767 country friday
  07887768 books wide
  07887776 town
  07887777 body
  07887778 class inside law march
  07887787 medical
  07887876 history
  07887887 bit
  07888177 school
  07888188 chinese
  07888287 effect
  07888478 professional
  07888488 shit
  07888576 research
  07888677 county development
  07888678 lost run safety
  07888688 order
  07888766 kill
  07888776 cold heart true
  07888778 broken cut financial flight pictures seven
  07888787 mind
  07888788 fucking officer straight
  07888868 choice
  07888877 born
  07888878 add lines
  07888888 effects pay reports seen species still such
  08078637 face
  08084888 cause
  08085628 continue
  08088108 sites
  08088288 type
  08088687 protection
  08088788 forces surprise
  08088878 charge
  08088887 place sort
  08088888 accident actions application attention certain construction minutes parents points police possible production questions sources violence
  08147888 opinion
  08158857 vote
  08158878 cancer
  08168828 imagine
  08188188 respect
  08188488 types
  08188788 six
  08188884 on
  08188888 condition couple distance effort important part places section table
  08282888 figure
  08288688 commercial
  08288788 foot
  08288878 long pain
  08288888 course court large patients sent
  08363448 record
  08387088 week
  08388788 issue
  08388888 change former second
  08428808 local
  08482071 weekend
  08488288 district
  08488888 notice parts
  08588788 issues
  08588808 as
  08588888 effective lots or
  08683878 staff
  08687888 favorite
  08688388 planning
  08688788 education
  08688876 piece
  08688888 addition but cases changes four seconds
  08777778 oil
  08782587 scene
  08785868 cell
  08786688 coast
  08786878 round
  08788368 wonder
  08788788 catch
  08788878 century
  08807717 natural
  08808808 popular
  08808818 particular
  08828828 individual regular
  08828848 similar
  08833774 australia
  08848568 series
  08848888 he
  08858888 once
  08868888 comes has uses
  08872878 area
  08877678 living
  08878488 late
  08878888 quite
  08880888 far
  08882778 state
  08884888 include
  08885688 goal
  08885888 create
  08886378 complete
  08886678 step
  08886778 share
  08886878 ago
  08886888 cost gonna
  08887677 council trust
  08887687 room
  08887688 size
  08887767 little
  08887778 care off trial
  08887787 market
  08887888 under
  08888084 we
  08888088 bed later water
  08888176 perfect
  08888188 contract even had opening president want
  08888286 won
  08888288 complex families god
  08888378 let
  08888388 letter past recent term
  08888488 finish glad help of taken
  08888587 australian
  08888588 claim gave goals meet offer worst
  08888668 comments resources
  08888677 woman
  08888678 close killing quality
  08888688 ahead claims drug goes health overall picture shot sleep
  08888758 time
  08888767 death independent official
  08888768 friends
  08888770 go
  08888777 beautiful fear old strong truth
  08888778 amazing attack committee down hands hour middle return
  08888780 program
  08888788 awesome back building company department environment experience five great lead levels movement operations phone present response rights risk running side simply telling up winning women
  08888858 use
  08888864 role
  08888868 fighting for move purpose
  08888875 one
  08888877 ain't church hair russian ship
  08888878 ask associated child evening feels fight follow hold lives look morning mother murder posted published read reading saturday things today tomorrow upon various weather worth
  08888881 to
  08888882 by
  08888883 same
  08888884 my
  08888886 wanna
  08888887 damn eyes hurt luck
  08888888 ability able about above absolutely accept according across activities activity actually added additional address advice after again against agree agreement allow allowed almost along already although always amount and announced annual another answer any anymore anyone anything anyway appear approach are areas aren't around asked asking at attempt author available average avoid away based be became because become been before began beginning behind being believe below better between biggest both bought broke brought build built buy called calling calls came campaign can can't cannot career caught caused certainly changed character characters children choose clear clearly closed coming common companies compared competition completely consider considered continued costs could couldn't countries created current currently damage daughter days decided decision definitely degree described designed despite developed did didn't died difference different difficult directly disease does doesn't doing don't done doubt driving during each earlier early easily eat eating economic eight either election ended enjoy enough entire especially established eventually ever every everyone everything evidence exactly example except expect expected explain fact family father february feel feet felt female few field finally finding finished first followed following foreign forget forward found friend from fully funny further generally get gets getting give given gives giving going gone good got gotta government greater ground groups grow growing growth guess guys happen happened happens have haven't having he's head hear heard helped here here's higher highest highly him himself his hours how however huge husband i'd i'll i'm i've if immediately included includes including income increase increased industry instead insurance interest interested interesting into involved isn't it it's its itself join july just keep kept killed knew know knowledge known knows largest latest laws leading learn learned least leave leaving left less like likely literally lived located longer looked looking looks losing loss loved lower made majority make makes making many marriage married matter may maybe mean meaning means meant member members might military missing money month months more most moved moving much must myself named names near nearly necessary need needed needs never next nobody none northern not nothing now number october offered officers often older ones only opened opportunity organization other others otherwise our out outside own paid particularly passed people percent perhaps period physical placed played players playing please political poor powerful practice pressure pretty previous prices primary probably process produced products programs property protect provide provided put putting quickly rather reach reached ready really reason reasons receive received recently related relationship released religious remember reported required responsible result results right rule rules said saw say saying says schools secretary seeing seem seems sell send sense serious seriously several shall she she's should showed showing shown sick sign signed significant since sitting small sold some someone something sometimes speak speaking specific spend spent started starting states stay students study stuff stupid subject success successful supposed sure take takes taking talking tax teacher tell terms than thank thanks that that's the their them themselves then there there's therefore these they they're thing think thinking third this those though thought three through throughout thus title together told tonight too took towards treatment tried truly try trying turn turned two understand unless until used using usually very visit wait waiting wanted wants wasn't watching way ways we'll we're we've wear wearing weeks weight well went were what what's whatever when where whether which while who whole whose why wife wish with within without won't words work worked workers working works worse would wouldn't write writing written wrong wrote year years yes yesterday yet you you'll you're you've your yourself
  10022010 mm
  10022110 super
  10022121 h
  10060042 sport
  10110220 ii
  10221121 b
  10676278 stand
  10688888 an
  10782046 band
  10885888 so
  11058878 religion
  11088888 situation
  11111102 internet
  11111320 iii
  11170080 film
  11213220 k
  11231013 mail
  11320001 tv
  11685076 museum
  11888088 november
  11888880 problem
  12003313 etc
  12030346 chat
  12086788 mission
  12088888 opposition
  12110003 festival
  12533036 extra
  12610144 video
  12731011 link
  12885077 brand
  12885308 professor
  12888088 warm
  13088282 transport
  13414405 digital
  13433032 vs
  13888081 minister
  14054455 journal
  14077667 image
  14078088 films
  14550410 zero
  15065352 port
  15085588 match
  15141305 vice
  15360767 prime
  16077668 images
  16086576 europe
  16828808 legal
  16858088 tips
  17018888 simple
  17084778 culture
  17086666 photo
  17086878 communication
  17087788 commission
  17088886 relations
  17288078 direct
  17308707 capital
  17804568 color
  18073278 canada
  18088208 site
  18088688 train
  18088778 prison
  18088867 danger
  18088878 pages
  18088888 article articles capable car conditions direction expression importance impossible photos population question solution
  18203218 me
  18211803 a
  18288088 contact
  18288708 crime
  18307707 civil
  18308808 final
  18780828 serve
  18808808 cultural
  18808818 debate familiar
  18808888 ideas
  18828808 federal
  18880178 camera
  18880858 prove
  18888088 december is
  20222322 pro
  20488188 dollar
  20878038 links
  20887887 fast
  20888678 falls
  20888888 fall
  21261140 forum
  21384064 gang
  21842023 online
  21888088 brief land
  22088183 moment
  22210014 facebook
  22322010 http
  22888088 basis
  23053345 tour
  23081377 zone
  23086387 mode
  23221003 blog
  23880308 regime
  23888058 website
  25088288 route
  25880687 fame
  26087887 sciences
  27088888 courage
  27808688 error
  28082888 province
  28088687 centre
  28088888 absence attend clients combat personnel regard technique
  28110818 base
  28808248 sector
  28808808 interior
  28808848 actual
  28882880 i
  28888088 over
  30221110 cm
  30421520 usa
  30687188 trainer
  30888388 man
  30888878 fallen
  30888888 am gross
  31088888 organisation
  31250320 prof
  32200135 villa
  33010414 ah
  33221306 ex
  33322103 twitter
  33443430 r
  33808235 barcelona
  34065465 s
  34088888 programme
  34404424 q
  34440142 tweet
  34480374 studio
  35088888 relation
  35201434 pp
  35301426 web
  35446028 tweets
  36087787 commerce
  36088788 instant
  36088888 formation
  36880888 male
  37088788 sept
  37688280 dam
  37808778 tales
  37808808 superior
  37886078 loop
  38010618 grave
  38087178 bureau
  38088888 coin impression millions occasion usage
  38208808 principal
  38308838 fiscal
  38602878 ve
  38808888 electoral planes sea
  38880888 fate
  38888088 begin wet
  40346025 fc
  40565565 ag
  40888888 handy toll
  41043441 ps
  41121011 km
  43054354 m
  43088577 fort
  43655403 sp
  43787076 holland
  44500405 costa
  45044758 meme
  45065265 t
  45088886 lit
  45607518 sr
  46088688 passage
  46254078 vol
  46470037 via
  46603507 mar
  46655501 pt
  46666057 bang
  47075868 pose
  47088787 grand
  47088888 champ
  47580588 pure
  47850557 opera
  48086888 propose
  48088888 arrive assurance comment cuisine
  48218707 canal
  48318808 municipal
  48404428 cuba
  48680608 cinema
  48708828 cargo
  48806815 no
  48808808 favor
  48874880 cos
  48880888 come due pace sole
  48888088 snap stem vast
  48888801 do
  50677368 laden
  50838048 meter
  50888488 lust
  50888888 fuss war
  51421034 auto
  51887088 hart
  51888088 strand
  52075568 chef
  52080174 finale
  52220455 eh
  53880862 nato
  54054545 madame
  54120334 bravo
  54880188 diverse
  55404448 madrid
  55448508 portugal
  55465460 ds
  55665404 logo
  56077578 lyon
  56088477 mars
  56088888 terrain
  56467640 pl
  56666607 ar
  56806488 ecuador
  56808835 chile
  57076677 saint
  57688078 net
  57807567 puerto
  57880888 modi
  58017888 son
  58086484 premier
  58088288 vent
  58088488 divers
  58088878 sac
  58088888 adore bout chose corps critique dont france mets voyage
  58408888 fines
  58560668 piano
  58737660 pan
  58788088 burgers
  58805488 colombia
  58808880 pies
  58808888 mayor
  58848808 inclusive
  58880888 cane dare tale
  58888088 rug wit
  60461162 euro
  60564673 merkel
  60688887 berlin
  60886787 alt
  60887767 tag
  60888087 ding
  60888188 lag
  60888388 rot
  60888588 baden
  60888878 stark
  60888887 grad
  60888888 alter
  63320326 papa
  64055363 tel
  64118208 café
  64767082 u
  65635880 xd
  66606538 venezuela
  66634640 xx
  66688870 rp
  66888570 ku
  67088788 genre
  67577084 ie
  67615506 lima
  67707667 plaza
  67750786 pd
  68028838 euros
  68087788 suite
  68088888 attends faux fond retard
  68118808 tribunal
  68805818 negro
  68817705 mata
  68880882 stare
  68880888 salute
  68888088 lid rode rust
  68888380 ten
  70676878 reich
  70688688 bundesliga
  70688778 bayern
  70877568 richter
  70888488 dresden
  70888678 frankfurt
  70888688 halt
  70888788 hamburg
  70888878 fest
  70888887 kraft
  70888888 bald sag tat
  71088288 analyse
  72628403 liga
  72888088 klein
  75676220 dom
  76075677 n
  76088586 ton
  76088588 marseille
  76506643 sos
  77073776 c
  77085288 dossier
  77087177 vis
  77087688 pont
  77088888 monsieur
  77505535 aires
  77700658 maestro
  77780757 li
  77888880 ul
  78087888 fil
  78088788 rouge
  78088888 accord commence coup durant mains midi pays
  78388083 bal
  78557808 ia
  78570888 col
  78666770 tata
  78684088 ben
  78788808 indo
  78800188 al
  78801808 vale
  78807607 flores
  78808808 mesa
  78808818 anterior
  78808888 mayo
  78810818 era
  78880888 ad ed ore
  78888088 deed door punt
  78888808 oi
  78888880 brat co
  80188888 italien
  80288888 grosses
  80338848 mal
  80386888 grosse
  80388888 manche sonne
  80488888 sache
  80588188 hier
  80588488 halte
  80588888 landes
  80608888 es
  80678778 müller
  80688888 eure fdp probleme sein
  80710013 europa
  80718858 autos
  80788848 uns
  80788888 leipzig seine
  80822450 firma
  80848848 auge
  80878888 ende finde praxis
  80880188 alle
  80880208 interesse
  80882888 stelle
  80883888 alte
  80887888 bau dritte
  80888068 vier
  80888088 acht als dank er gebracht geld gericht geworden interessant kennen kunst lachen lief markt minuten paar personen rechten schuld soldaten titel verloren volk waren westen
  80888188 alles beide bier grenzen hallo kosten lange morgen nacht namen recht rechts stellen studie verdient
  80888280 ja
  80888288 angst gedacht getroffen klasse lage regel rennen wagen
  80888383 ach
  80888386 wie
  80888388 anderen die kleiner leider thema werden ziel
  80888488 beiden erkennen liegen macht rechte
  80888588 daten münchen schaffen treffen viel vielen wegen
  80888682 linie
  80888688 boden düsseldorf handelt nen patienten schaden überhaupt
  80888788 bremen damen ddr den essen hannover legen leid liegt linken voller
  80888838 das
  80888868 frei
  80888880 kontakt
  80888881 punkt typ
  80888883 kamera technik
  80888884 ich sie studium
  80888885 im kultur suche
  80888887 kurze
  80888888 ab abend aber abschluss absolut afd ahnung aktion aktiv aktuell aktuelle aktuellen allein alleine allem allerdings allgemein alten amt anderem anderer anderes anfang angaben angebot anschliessend anteil antwort antworten anzahl arbeit arbeiten arbeitet arsch arzt auch auf aufgabe aufgaben aufgenommen aufgrund aufs augen aus ausbildung ausschliesslich aussehen ausser ausserdem ausserhalb auswahl bahn bauen bedeutet bedeutung befindet begann beginn beginnt begriff bei beim beispiel beispielsweise beitrag bekannt bekommen bekommt benutzt bereich bereit bereits berichtet berliner beschäftigt besondere besonders besser bestehen besteht besten bestimmt bestimmte bestimmten besuch betrieb bett bevor bevölkerung bewusst bezahlen bezeichnet beziehung bieten bietet bild bilder bildung bin bis bisher bisschen bist bitte bleiben bleibt blick blieb bloss brachte brauche brauchen braucht bringen bringt bruder buch bzw bücher bürger cdu csu dabei dachte dadurch dafür dagegen daher dahin damals damit danach danke dann daran darauf daraus darf darum darunter darüber dass dazu dein deine deinem deinen deiner dem demokratie denen denke denn dennoch der deren derzeit deshalb dessen deswegen deutlich deutsch deutsche deutschen deutscher deutschland deutschlands dezember dich diese diesem diesen dieser dieses dinge dir direkt diskussion doch dort dran drauf draussen drei drin dritten druck dumm durch durchaus dürfen dürfte eben ebenfalls ebenso egal ehe eher ehrlich eigene eigenen eigentlich ein eindruck eine einem einen einer eines einfach einfluss eingesetzt einige einigen einmal eins einsatz einzelnen einzige eltern endlich englisch entdeckt entfernt enthält entscheiden entscheidung entschieden entsprechend entstehen entweder entwickelt entwicklung erde erfahren erfahrung erfahrungen erfolg erfolgreich ergebnis ergebnisse erhalten erinnern erinnert erklären erklärt erneut erreichen erreicht erst erste ersten erster erstes erstmal erstmals erwarten erwartet erwähnt erzählt etwa etwas euch europäischen extrem fahren falsch familien fand fehlen fehler fehlt feiern fenster fertig feuer finden findet flughafen flüchtlinge folge folgen folgenden frage fragen frankreich frau frauen freie freien freiheit freitag freude freuen freund freunde freundin froh früh früher funktion funktioniert fussball fährt fällen fällt fühlen fühlt führen führt führte fünf für fürs gab ganz ganze ganzen gar gebe geben gebiet geburtstag gebäude gedanken gefahr gefahren gefallen gefragt gefunden gefällt gefühl geführt gegangen gegeben gegen gegensatz gegenüber geh gehabt gehalten gehe gehen geht geht's gehören gehört gekauft gekommen gelesen gelten gemacht gemeinde gemeinsam genannt genau genauso genommen genug genutzt gerade gern gerne gesagt gesamte gesamten geschafft geschehen geschichte geschrieben gesehen gesellschaft gesetz gesetzt gesicht gespielt gespräch gestellt gestern gestorben gesucht getan gewalt gewesen gewinnen gewählt gezeigt gibt gibt's gilt glaub glaube glauben glaubt gleich gleiche gleichen gleichzeitig glück glücklich gmbh gott grenze grossen grosser grund grundsätzlich gruppe gruppen grösse grössere grösste grössten gründen grüne grünen gut gute guten guter gutes hab habe haben habt halten hast hat hatte hatten haus hause heissen heisst helfen heraus herr herren herz herzen heute heutigen hielt hilfe hilft himmel hin hinaus hingegen hinten hinter hintergrund hoch hoffe hoffnung hohe hohen holen hund hälfte hält hände hätte hätten häufig höhe hören hört ideen ihm ihn ihnen ihr ihre ihrem ihren ihrer ihres immer immerhin indem informationen inhalt innerhalb ins insbesondere insel insgesamt interessiert internationalen irgendwann irgendwas irgendwie irgendwo ist jahr jahre jahren jahres jahrhundert januar jede jedem jedenfalls jeder jedes jedoch jemand jemanden jetzt jeweils jugend junge jungen jungs kaffee kamen kampf kann kannst karte kaufen kaum kein keine keinen keiner kenne kennt kinder kindern kirche klar kleinen kleines klingt knapp kollegen komm komme kommen kommt komplett konnte konnten kontrolle kopf kreis krieg kritik kunden kurz köln könig könne können könnt könnte könnten körper künstler langen langsam lass lassen laufen laut leben lebens lebt lediglich lehrer leicht leisten leistung lernen lesen letzte letzten leute leuten liebe lieben lieber liess linke literatur luft lustig länder ländern länger lässt läuft lösung mach mache machen machst machte manchmal mann mannschaft massnahmen medien mehr mehrere mehreren mein meine meinem meinen meiner meines meinst meint meinte meinung meist meisten meister menge mensch menschen mich millionen mindestens mir mit mitarbeiter miteinander mitglied mitglieder mitte mittel mittlerweile monat monate monaten montag musik muss musst musste mussten mutter mädchen männer märz möchte möchten möglich möglichkeit möglichkeiten möglichst müssen müsste nach nachdem nachricht nachrichten nahe nahm natur natürlich neben nehmen nein nennen nennt netz neu neue neuen neuer neues nicht nichts niemals nimmt nix noch nochmal nun nur nutzen nächste nächsten nähe nämlich nötig ob oben obwohl oder offen offenbar oft ohne opfer ordnung ort partei parteien passieren passiert passt perfekt persönlich platz plötzlich politik politiker politische politischen polizei preis preise programm prozent prozess präsident punkte qualität rahmen raum raus regelmässig regeln regierung reicht reise relativ richtig richtige richtigen richtung rolle ruhe ruhig rund runde russland rücken sachen sachsen sagen sagt sagte sah samstag satz schau schauen scheint scheiss scheisse schlafen schlecht schliesslich schlimm schloss schluss schnell schneller schon schreiben schreibt schritt schule schulen schutz schwarz schweiz schweizer schwer schwester schön schöne schönen schüler sechs sehe sehen sehr seid seien seinem seinen seiner seines seit seite seiten sekunden selber selbst selten setzen setzt setzte sich sicher sicherheit sicht sieben sieg siehe sieht sind sinn sinne sitzen sitzt sobald sofort sogar sohn solche solchen soll sollen sollte sollten somit sondern sonntag sonst sorgen sowas soweit sowie sowohl soziale sozialen spass spd spiel spiele spielen spieler spielt sprach sprache sprechen spricht spät später staaten stadt starke statt stehen steht stellt stellte sterben stets stimme stimmen stimmt stolz strasse stunde stunden stuttgart ständig stück suchen sucht szene tage tagen tages tatsächlich teil teile teilen teilnehmer teilweise themen tief tiere tisch tochter tolle tragen trifft trinken trotz trotzdem trägt tun tut täglich tür türkei uhr umgebung unbedingt und universität unser unsere unserem unseren unserer unten unter unternehmen unterschied unterstützen unterstützt unterstützung unterwegs urlaub usw vater verantwortlich verbindung verbunden verein verfahren verfügung vergangenheit vergessen vergleich verhalten verhindern verkaufen verkauft verlassen verletzt verlieren vermutlich verschiedene verschiedenen verstanden verstehe verstehen versuch versuche versuchen versucht vertrag vertrauen vertreten verwendet veröffentlicht viele vielleicht voll vom von vor vorbei vorhanden vorher vorstellen völlig wahl wahr wahrheit wahrscheinlich wald wann warten warum wasser weder weil weise weiss weissen weisst weit weiter weitere weiteren weiterhin welche welchen welcher welches welt weltweit wenig wenige weniger wenigstens wenn wer werbung werde wert wetter wichtig wichtige wieder wiederum wien wieso willkommen willst wir wird wirklich wirkt wirst wirtschaft wissen wo wobei woche wochen wochenende wohl wohnung wollen wollte wollten wort worte wurde wurden wusste wählen während wäre wären wünsche wünschen würde würden zahl zahlen zahlreiche zehn zeichen zeigen zeigt zeit zeiten zeitpunkt zeitung ziehen zieht ziemlich zimmer zog zu zudem zuerst zufrieden zug zugleich zuhause zukunft zuletzt zum zumindest zunächst zur zurück zusammen zusammenarbeit zusammenhang zustand zusätzlich zuvor zwar zwei zweite zweiten zwischen zählt ähnlich ändern öffentlichen österreich über überall übrigens
  81083088 moderne
  81083188 industrie
  81084888 liste
  81088182 papier
  81088788 aller
  81088888 saison
  81684088 energie
  81808800 autor
  81880808 sei
  81882086 idee
  81888088 artikel bericht berichten denken denkt familie geboren gewonnen ging historische juni kilometer kleine licht niemand oktober reden regen russische schade stil studenten verdienen weg
  81888280 nr
  81888880 jeden projekt
  82088388 bord
  82088888 adresse des du presse texte
  82188088 internationale
  82188880 profil
  82280288 normale
  82681088 digitale
  82818608 fotos
  82880208 interessante
  82888088 afrika amerika andere begonnen beste dienst gingen leiden mag mond nummer verband
  82888708 rede
  82888880 konto telefon
  83080888 nord
  83088388 fonds
  83088888 haut
  83180888 quelle
  83280888 tue
  83808288 leer
  83808848 genial
  83810277 serie
  83820107 foto
  83871808 da
  83888087 lokale
  83888088 beginnen dicht echt echte eisen enorm gelegen langer tafel wilden winkel
  83888808 filme um
  84084888 bande
  84088088 nationale
  84088288 niveau
  84480388 tante
  84480888 mai
  84701008 enorme
  84823088 gratis
  84888088 fantastisch gekocht heer problemen rechter stoppen werk worden
  84888880 wg
  85084808 sorte
  85085888 quartier
  85088888 dur
  85380888 originale
  85440878 termine
  85580888 quasi
  85816807 dar
  85880888 germania reale
  85888088 allerlei dingen echter enkel helft periode staat vorm wacht wilde willen
  86083888 ne
  86084888 russe
  86086888 rapide
  86087688 mer
  86088588 garde
  86088788 recherche
  86088885 partie
  86088888 ans armes dessous ensemble fasse informations stade suisse
  86280288 totale
  86600808 arte
  86671507 porto
  86808888 orden
  86830647 fortuna
  86870888 mio
  86880588 legale
  86880884 soli
  86888088 antwerpen belgische bellen denk engels haag kamp kost nee reizen werken wk
  86888808 nem
  86888880 fakt
  87067888 fer
  87073858 poste
  87084877 d
  87086788 hollande
  87086888 macron
  87088288 milieu
  87088488 parcours
  87088885 etat
  87088888 reste taille
  87487780 cie
  87582808 teste
  87588808 eu
  87608808 transporte
  87730727 vi
  87811808 ambiente
  87820718 caro
  87843708 aula
  87880688 circa
  87880878 nero
  87880888 bologna ebbe stile
  87888083 zus
  87888088 binnen hebt jammer kant kracht rotterdam vieren
  87888808 dez quer telefone
  87888880 inne nich
  88000888 un
  88008808 entre londres
  88011888 va
  88013842 tu
  88013888 fin
  88018358 comité
  88018808 partir
  88018818 servir
  88018888 bien responsable
  88025888 venir
  88028748 vos
  88028788 mes
  88028888 avance
  88042888 le
  88051818 limite
  88058868 explique
  88058878 importe
  88062748 visite
  88062888 sera
  88065588 bah
  88068888 les
  88078858 pense
  88078868 marque
  88078888 avion gestion publique sur
  88080818 classe
  88080888 dire facile novembre sud
  88081878 ai
  88081888 l origine parti
  88082888 bruxelles carte fini forme lui offre
  88083288 campagne
  88083688 compagnie
  88083888 somme terre vite
  88084788 tombe
  88084858 porte
  88084885 sa
  88084888 guerre là marche sorti
  88085488 seconde
  88085878 concerne
  88085888 lire mise qui terme
  88086888 ce ferme merci vie
  88087888 artiste ceci celle ciel merde noir
  88088088 militaire parlement
  88088188 directeur populaire privé
  88088288 auteur carrière nul verre
  88088388 plein rapport
  88088488 appel enquête vitesse
  88088588 journaliste particulier scène
  88088688 affaire courant italie parc rue trucs vers
  88088788 concours mot pas première retour
  88088808 bons crise livre mais ou
  88088828 livres
  88088838 ligue
  88088848 envie passe à
  88088858 fera jamais médias
  88088868 cru mec vais
  88088878 blanc
  88088882 gaz
  88088884 sens
  88088886 moi propos
  88088887 côte j salut soi
  88088888 abord absolument accès acheter acte activité activités actuel actuelle actuellement affaires afin afrique agence agit aider ailleurs aime aimerais ainsi ait allait allemagne allemand allez alors amis américain américaine américains amérique ancien ancienne anciens anglais angleterre animaux anniversaire annonce année années août appeler appelle appelé apprendre appris approche après argent armée arriver arrivé arrivée arrière arrêt arrête arrêter arrêté artistes assemblée assez assurer attaque atteint attendre au aucun aucune aujourd'hui auprès auraient aurais aurait aussi autant autorité autour autre autres aux avaient avais avait avant avec avenir avez avions avocat avoir avons ayant banque beaucoup beauté beaux belgique belles besoin bientôt bleu bois bon bonheur bonjour bonne bonnes bouche boulot bras bref buts bébé cadre calme candidat capacité capitaine caractère cela celles celui cependant certaine certainement certaines certains ces cet cette ceux chacun chambre changement changer changé chanson chaque chaud chaîne chemin cherche chercher cheveux chez chien chiffres chine chinois choisi choisir choix choses cinq cinéma citoyens cité clairement classique coeur combien comme commencer commencé commun communauté commune complètement comprend comprendre comprends compris compte compter comptes concernant confiance conférence connais connaissance connaît connaître connu conseil consommation contexte continuer contraire contrat contre contrôle couleur couleurs coupe coups cour cours croire crois croit création créer créé cul côté côtés cœur dans dedans dehors delà demain demande demander demandé depuis dernier derniers dernière dernières derrière dessus deux deuxième devait devant devenir devenu devient devoir dieu différence différentes différents dimanche dirait directement dis disait discours disent dites dix doit doivent domaine donc donner donné données doute droit droite droits drôle durée dès débat début décembre décidé décision découvrir défense déjà départ département député désolé désormais développement dû eau effet effets elle elles emploi encore endroit enfant enfants enfin enseignement ensuite entendre entendu entreprise entreprises entrer entrée envers environ environnement envoyer envoyé erreur espace espagne esprit espèce espère essayer est et etats etre européen européenne eux exactement exemple expliquer expérience extérieur facilement faible faire fais faisait faisant fait faite faites faits fallait famille familles faudra faudrait faut faute faveur façon femme femmes feu fille filles fils finalement finir fois fonction font fou frais français française froid frère frères fut février fête gagner gagné garder gars gauche gens gouvernement goût grands gros groupe groupes gueule général générale généralement habitants habitude haute hauteur heure heures heureux histoire historique hiver homme hommes honneur hors huit humain hôpital hôtel ici identité idée idées ils intéressant intérieur intérêt intérêts janvier jeu jeudi jeune jeunes jeux joue jouer joueur joueurs jour journée jours joué juge juillet juin jusqu'au jusqu'à juste laisse laisser laissé langue laquelle largement lendemain lequel lettre lettres leur leurs liberté lieu lieux ligne lignes loi loin longtemps longue lors lorsque lumière lundi lutte lycée magnifique maintenant maison maisons majorité malade maladie malgré manger manière manque marché mariage matin matière mauvais mauvaise maître meilleur meilleure meilleurs membre membres mercredi mesure mesures mettre mieux milliards ministre ministère mme modèle moindre moins mois moitié mon monde montre montrer montréal mort morts mots mourir mouvement moyen moyenne moyens musique musée mère mètres médecin mémoire mérite même mêmes naissance neuf nom nombreuses nombreux noms notamment notre nous nouveau nouveaux nouvel nouvelle nouvelles nuit numéro nécessaire objectif objet objets obtenir octobre ont opération ordre ouais oublier oublié ouest oui outre ouvert ouverture ouvre ouvrir où paix par parce pareil parfaitement parfois parle parler parlé parmi partage participer particulièrement partis partout passer passé pauvre payer peau peine pendant penser perdre perdu permet permettre permis personnage personne personnes perte petit petite petites petits peu peuple peur peut peuvent peux physique pied pieds pire pièce plaisir planète pleine plupart plus plusieurs plutôt poids politique politiques portes poser possibilité pour pourquoi pourra pourrait pourtant pouvait pouvez pouvoir pratique premiers premières prend prendre prends presque pression preuve pris prise prix probablement problème problèmes processus prochain prochaine proche procès produit produits professeur projet projets propre propres protéger près préfère présence présent présente présenter président prévu prêt pu publics publié puis puisque puissance puisse putain père période qu qualité quand quant quatre quelqu'un quelque quelques quoi québec québécois raison raisons rapidement rappelle recevoir recherches regarde regarder regardez remettre rencontre rencontrer rend rendez rendre rendu rentrer représente responsabilité ressources rester retraite retrouve retrouver revenir revenu revient reçu riche rien rire risque roi royaume russie règles réalisé réalité référence régime région régions répondre réponse république réseau réseaux résultat résultats réunion réussi révolution rôle sainte sais sait salle samedi sans santé sauf savent savoir scientifique secondes secrétaire secteur seigneur selon semaine semaines semble septembre seraient serais serait seront sert ses seul seule seulement seuls sexe simplement sinon situé siècle siège sociaux société sociétés soient soir soirée soit soleil sommes sont sortie sortir souhaite sous soutien souvent succès suffit suis suivant suivi suivre sujet sujets supérieur surtout système sécurité sérieux sûr sœur tableau tandis tant tard taux telle tellement tels temps tendance tenir tenu termes territoire tes théorie théâtre tiens tient tirer titre titres toi tomber totalement touche toujours tous tout toute toutefois toutes traitement travail travaille travailler travaux travers trois troisième trop trouve trouver trouvé truc très tuer télé téléphone tête tôt une uniquement unis unité université utilisation utilise utiliser utilisé vacances valeur valeurs vaut vendre vendredi vente venu veulent veut veux victime victimes vidéo vidéos viennent viens vient vieux villes vingt visage vit vivre voici voie voilà voir voire vois voit voiture voix volonté vont votre voulais voulait voulez vouloir voulu vous vrai vraie vraiment vue véritable vérité yeux âge ça école écoles économie économique écoute écrire écrit édition éducation également église élection élections élevé élèves éléments émission énergie épisode époque équipe équipes établissement étaient étais était étant état états étranger étude études étudiants été évidemment éviter évolution êtes être île œuvre
  88101808 triste
  88101888 la
  88108018 de
  88108088 en
  88108388 mis
  88108888 libre nombre vas
  88118808 existe
  88121830 ue
  88180188 sociale
  88180688 mondiale
  88180888 capitale difficile donne utile
  88186088 vaste
  88188086 je
  88188808 série
  88188870 ta
  88202818 se
  88208808 grandes importantes que
  88208887 ni
  88208888 locales principales sociales
  88210878 si
  88217808 sentir
  88218808 dormir
  88231808 grande
  88280288 centrale
  88280808 forte
  88280828 né
  88280888 civile il locale parole poche principale quel
  88288808 pré
  88300808 importante
  88318808 nos
  88348808 simples
  88370838 conte
  88380178 bel
  88380881 ma
  88380888 perso ultime
  88388088 dames dit fout ronde
  88408888 aire nombres y
  88480808 morte
  88480882 ci
  88480888 pari
  88485088 economie
  88488808 dois média
  88488880 pis
  88500818 resto
  88508828 demanda
  88508848 informe
  88525044 te
  88538408 carnaval
  88580668 rende
  88580888 grandi non permette varie
  88588088 brabant
  88608888 animales tres
  88610818 entra
  88648808 natal
  88660838 resta
  88660844 pare
  88663608 serra
  88680788 arriva
  88680888 perche
  88681808 fonte sente
  88687608 cor
  88688088 mens rond
  88688880 ile
  88708888 lunes
  88710818 dura
  88718808 médico texto
  88728808 fui
  88780888 conti mercato
  88781808 passa
  88788808 equipe quais tais
  88800606 nota
  88800808 agosto alto carne caso centro cultura finalmente futuro guerra ministro momento problema significa sistema tanta tipo visita
  88800817 peso
  88800818 carta corte tanto
  88800838 padre
  88800858 mano
  88800868 premio
  88800878 contrario memoria
  88800887 materia
  88800888 con del fondo libro odio oro persona presenta provincia una
  88801802 lista
  88801808 artista candidato cerca completa destino durante presidente
  88801818 completo considera consumo gente pronto
  88801828 duro
  88801870 serio
  88801878 madre
  88801888 casi dice gusto poco solamente
  88802704 banda
  88802806 forma
  88802808 dando dentro totalmente
  88802818 importa larga registro
  88802828 tema
  88802838 cita
  88802848 mediante
  88802878 industria lo sé
  88802888 cambio edificio gran intento principio su
  88803808 banco compra
  88803828 raro
  88803838 mando
  88803868 diario
  88803888 medio pone
  88804808 realmente
  88804818 pago
  88804838 argentino
  88804858 largo
  88804868 loco
  88804888 acceso
  88805808 golpe
  88805818 diga
  88805878 sino
  88805888 darle incluso tenga
  88806546 garcía
  88806846 lópez
  88807757 buenos
  88807788 ven
  88807828 chico
  88807888 camino han sin tengo tiene
  88808408 ver
  88808678 blanco
  88808804 reforma
  88808808 acaba amigo amigos antes aparece aprender armas azul bastante boca busca calor capaz características casas casos cinco claro comer comercial comida como conjunto contexto contra contrato crítica cuidado culpa código departamento diferentes distrito documentos dólares elementos empresa empresas encontrar entender entrada escrito especial especialmente espera esperando esperar espero esposa estado estados estamos estar estará estilo está explica falta formas funciona fácil grupos horas humana humano humanos instituto internacional ir junto juntos medida menor menos mercado meses metros militares minutos modelo momentos mundial nacional nada nunca número obras oficial pagar parece parecer países pensar problemas programas publicado página páginas pública públicas públicos queremos querido recursos redes reino representa república resultado resultados rápido seis semanas sistemas sobre somos suficiente tarde temporada tipos toda todas todos tomar título unidos valor valores vez vida votos voz último últimos única único
  88808818 ambas ambos anteriores autoridades buscar cabo cada carga contigo democracia discurso este evitar excelente habitantes lugar lugares medidas menores objeto obra partes país perdido permite pobre pobres podemos poder política políticas político políticos por porque puta realizar sabemos seguir sentido sido tantos temas terminar trata tratar
  88808828 acerca algo desde digo esta estas justo partido planta queda todo vemos zonas
  88808838 acabo actualmente buscando contacto género igual inicio marcha méxico oficina partidos piso rato resulta seguro
  88808848 actividades acto actos carácter demasiado directamente directo distintas distintos económica económico fecha noticia pesos sabes término
  88808858 cine detrás estás exactamente gana noticias
  88808868 distancia encanta historias negocio padres pesar sacar varias
  88808872 historia
  88808873 duda
  88808878 agua comentario comercio diferencia familia hermanos manos prensa silencio sitio
  88808881 profesor
  88808886 pasa ropa
  88808887 hermana mucha
  88808888 abajo abierto abogado acciones acción actividad acuerdo acá adelante además administración afuera ahora ahí alcalde alemania alguien alguna algunas alguno algunos algún allá allí alrededor antiguo análisis aplicación apoyo aquel aquellos aquí arriba artículo artículos asamblea asi asociación asunto asuntos así atención aun aunque ayer ayuda ayudar año años aún baja bajo barrio batalla baño buen buenas bueno cabeza caja calidad calle calles cambiar cambios campaña canciones canción cantidad capacidad carrera chica chicas chicos ciencia ciencias ciento cierto ciudad ciudadanos ciudades clase clases clave colegio comentarios comenzó comienza comisión compartir compañeros compañía competencia comunicación comunidad común concepto conciencia condiciones confianza congreso conmigo conoce conocer conocido conocimiento conozco consejo constitución construcción contenido corazón correo corrupción cosas creación crear crecimiento cree creen creer crees creo cual cuales cualquier cualquiera cuando cuanto cuarto cuatro cuenta cuentas cuerpo cuestión cumplir cuya cuyo cuál cámara cárcel cómo datos daño debajo debe debemos deben debería deberían debes debido decir decisiones decisión decía defensa dejado dejar dejo dejó demás derecha derecho derechos desarrollo deseo despues después detalles dicen dices dicha dicho diciembre diciendo dieron diez dije dijeron dijo dinero dios diputados dirección diseño doble dolor donde día días dónde economía edad edición educación efecto efectos ejemplo ejercicio ejército el elecciones elección elegir ella ellas ello ellos embargo empezar empezó empieza empleo encima encuentra encuentran encuentro energía enero enfermedad entiendo entonces equipo equipos eran eres esa esas escena escribir escribió escuchar escuela escuelas ese esfuerzo eso esos espacio españa español española españoles especie estaba estaban estación estan estaría esto estos estoy estructura estudiantes estudiar estudio estudios estuvo están esté estén existen experiencia expresión extraño facultad familias febrero fiesta formación francés fue fuego fuente fuentes fuera fueron fuerte fuerza fuerzas función fundación fútbol ganado ganar ganas generación generales gestión gobernador gobierno gracias gusta gustaría haber habla hablando hablar habrá habría había habían hace hacemos hacen hacer hacerlo haces hacia haciendo hacía haga hagan hago hambre hará hasta hay hayan hecho hechos hemos hermano hice hicieron hija hijo hijos hizo hogar hola hombre hombres hoy hubiera hubo iba iglesia imagen importancia imposible imágenes incluye incluyendo increíble independencia independiente información inglés ingresos instituciones interesante intereses internacionales investigación izquierda jamás japón jefe joven juego juegos juez jugador jugadores jugar juicio junio justicia jóvenes las lejos lengua ley leyes libertad libros llama llamada llamado llamar llega llegado llegar llegó lleno lleva llevar llevó lograr los lucha luego línea mamá manera mantener mayores mayoría mañana medios mejor mejorar mejores mensaje menudo miedo miembro miembros mientras mierda millones ministerio misión misma mismas mismo mismos mitad morir movimiento muchas mucho muchos muerte muerto muertos muestra mujer mujeres murió muy más mí nacionales naciones nación nadie naturaleza necesario necesidad necesita necesitamos necesitan necesitas necesito negocios ninguna ninguno ningún nivel niña niño niños noche noches nosotros novia noviembre nuestra nuestras nuestro nuestros nueva nuevas nueve nuevo nuevos obtener ocho octubre ocurre oficiales ofrece ojo ojos opción operación opinión oportunidad oposición organización origen otra otras otro otros palabra palabras pareja participación pasado pasando pasar pase paso pasó peligro película películas peor pequeña pequeño pequeños perdón perfecto pero perro personaje personajes personas perú piel piensa pienso plata plazo población pocas pocos podrá podría podrían podía policía poner posibilidad posible posición precio precios pregunta preguntas presencia presión presupuesto primer primera primeras primero primeros principios probablemente proceso producción producto productos profesional propia propiedad propio propios propuesta protección proyecto proyectos prueba pruebas práctica publicación pudo pueblo pueblos pueda puedan puede pueden puedes puedo puerta pues puesto puntos puso quedan quedó quería quien quienes quiera quieras quiere quieren quieres quiero quizá quizás quién qué razones razón realidad recibir recién recuerda recuerdo referencia región relaciones relación respecto respeto responsabilidad respuesta reunión revolución riesgo rojo rusia régimen río saben sabía salida salir salió salud sangre sección seguridad según selección septiembre servicio servicios serán sería señor señora siempre siendo siente siento siglo sigue siguen siguiente siguientes simplemente siquiera sirve situación sociedad solución soy suelo suena suerte sueño supone supongo supuesto sus sí sólo tamaño tambien también tampoco tan tecnología televisión teléfono tendrá tenemos tener tengan tenido teniendo tenía tenían teoría tercer tercera tiempo tiempos tienen tienes tierras todavía trabaja trabajadores trabajando trabajar trabajo trabajos tras tratamiento través tus tuve tuvieron tuvo términos unas unidad universidad unión unos usted ustedes usuario usuarios varios vaya veces vecinos velocidad venta veo verdad verdadero versión ves viaje vieja viejo viendo vienen viernes vio violencia visión vivir volver volvió voy vuelta vuelve vía ya yo él ésta éste éxito
  88810808 campo causa cristo presente
  88810815 figura
  88810818 completamente decreto mente parte teatro vista voto
  88810881 mi
  88810888 costo culo dio europea europeo marzo matrimonio museo punto siete sola territorio uno venga
  88811804 sala
  88811808 amo aumento casa pena tiro verde vivo
  88812808 normalmente pensando
  88816808 amor
  88818706 minas
  88818708 campos
  88818804 planeta
  88818806 mil
  88818808 abrir afirma altura amiga américa artistas ataque cama celular combate comprar conseguir considerado contar curso diferente difícil diversas diversos drogas entrar entrevista explicar feliz frente física grupo histórico hora lado lindo líder militar motivos mundo música norte números objetivo papel para parque participantes participar pedido pedir perder perfil programa proteger príncipe público querer realizado resolver responder revista saber segunda semana ser será sexo sábado tradicional técnico usar vamos vidas época última últimas
  88820208 fase
  88820818 breve mandato motivo sede
  88820828 interno parlamento visto
  88820878 solo
  88820888 grado ha viene
  88821801 cena
  88821808 americana americano
  88822808 evento principalmente usando
  88824808 andar
  88825810 marca
  88828807 copa
  88828808 acabar atrás bola continuar dos eventos mostrar partida período próxima próximo realizada sabe segundo usado vídeos áfrica área áreas
  88830824 posta
  88830828 basta presa
  88830838 critica modo
  88830858 banca
  88830888 cosa periodo
  88831808 comando
  88832820 droga
  88833808 quinta
  88838088 rol
  88838808 americanos carros mas parar plano planos policial vídeo
  88840068 pagina
  88840808 continua
  88840818 guarda
  88840838 cura
  88840858 entro
  88840868 anima ti ultima
  88840888 bello linea roba
  88841808 adoro
  88845803 o
  88845804 seria
  88845808 carro globo
  88846408 leve
  88847808 tirar
  88847830 ministra
  88848808 apenas consigo foco frio irá pais podia sabia seguida sexta
  88850828 preso
  88850858 caldo giro italiano
  88850868 diversa libera musica precedente
  88850888 contesto italia sicilia telefono unico
  88854808 cima
  88855808 vendo
  88858808 aulas brasil certeza colocar conversar criado dia dias estrada eua lisboa pegar portuguesa
  88860308 massa
  88860858 italiana
  88860868 primo
  88860878 diverso fisica medico minimo numero
  88860888 calcio dato noto unica
  88863808 procura
  88865808 precisa preciso
  88868088 ene lees
  88868260 cel
  88868808 acreditar aqui computador dados dilma fé loja queria vila
  88868880 pana
  88870802 teoria
  88870808 categoria e economia torna
  88870818 facilmente
  88870858 prende
  88870888 economica fede politica politico presto solito tecnica
  88872804 energia
  88872808 tecnologia
  88876808 rei
  88878088 dan
  88878707 janeiro
  88878808 abertura criar entretanto estes filmes iria os pelo pelos procurar
  88878870 lata
  88880088 programma
  88880188 politici speciale
  88880218 recente
  88880388 qua
  88880588 prima sta
  88880684 natura
  88880688 mamma medici
  88880788 per
  88880808 corpo deve governo membro morto mostra movimento passo proposta quando segue tempo
  88880818 cento certo fosse lei pensa posso prova sai sangue sempre volta
  88880828 conosco penso porta possa quanto tua
  88880838 conto sul voce
  88880848 devo posto
  88880858 aperta aperto senso
  88880868 direi lingua pratica testa volte
  88880878 coi credo isola ora prego pressione
  88880883 lato scena
  88880885 bagno materiale sto
  88880887 mie
  88880888 abbastanza abbia abbiamo abbiano abitanti accesso accordo acqua addirittura adesso affari agli aiutare aiuto alcun alcuna alcune alcuni all'inizio all'interno alla allo allora almeno altra altre altri altrimenti altro amica amici amministrazione analisi anche ancora andare andata andato animali anni anzi appena appunto aprile aree argomento armi arrivare arrivato arrivo articoli articolo aspettare aspetti aspetto associazione assolutamente attacco attenzione attesa attività atto attraverso attuale attualmente autore autorità avanti avendo aver avere avesse avete aveva avevano avevo avrebbe avrebbero avrei avrà avuto azienda aziende azione azioni bambini bambino basso battaglia beh bellezza bene benissimo bianco bisogna bisogno bocca buon buona buono caffè cambiare cambiato campagna campi canale canzone capacità capelli capire capisco capito capo carattere caratteristiche cazzo cellulare cercando cercare certe certi che chi chiama chiamata chiamato chiaro chiave chiede chiedere chiedo chiesa chiesto chiunque ciao cibo cina cinque cioè cittadini città ciò codice collaborazione colore coloro colpa colpo commenti commento commissione compagnia complesso comprare comune comuni comunicazione comunità comunque concorso condizione condizioni confronti conoscenza conoscere conosciuto conseguenza considerato consigli consiglio contatto contenuti continuare contratto contro controllo coppia coraggio corso cose cosi costi costituzione costruzione così creare creato crede credere crescita crisi cucina cui culturale cuore dagli dai dal dalla dalle dallo danni danno dati davanti davvero decisione deciso degli dei dell'anno della delle dello denaro destra dettagli detto devono di dicembre dicendo dici dico dicono dieci dietro difesa differenza difficoltà diretta direttamente diretto direttore direzione diritti diritto discorso discussione disposizione distanza diventa diventare diventato diversi dobbiamo documenti dolce dollari dolore domanda domande domani dopo doppio dove doveva dovrebbe dovrebbero dovuto dubbio dunque dà ecc ecco economico edizione effetti effetto egli elementi elezioni entrambi entrare erano ero errore esattamente esempio esercito esiste esistono esperienza essendo essere essi esso età europei eventi evitare fa faccia facciamo faccio facendo faceva fai famiglia famiglie fanno fare farlo farmi farsi farti farà fatta fatte fatti fatto favore febbraio fece femminile fenomeno fiducia figli figlia figlio finché finire finito fino firenze fonti formazione forse forti forza forze fossero fra francese fratelli fratello fronte fu funziona funzione fuoco fuori furono generale genere genitori gennaio genova gestione gesù giocare giochi gioco giornale giornata giorni giorno giovane giugno giustizia già gli grazie gruppi gruppo guardare guida hai hanno ho ieri immagine immagini immediatamente importanti importanza impossibile incontro indietro infatti infine informazioni inglese inizia iniziare iniziato inizio inoltre insieme insomma intanto interessi internazionale intero intervento intorno invece io italiane italiani lascia lasciare lasciato lavora lavorare lavoratori lavori lavoro legge leggere leggi lettera letto libertà libri livello locali londra lontano loro luglio lunga lungo luoghi luogo lì macchina magari maggio maggior maggioranza maggiore maggiori malattia mancanza mangiare maniera mantenere marito mattina meglio membri meno mentre merito mese mesi messa messaggio messo metodo metri mettere metà mezzi mezzo mia miei miglior migliore migliori miliardi milioni militare militari ministero minuti missione misura modello moglie molte molti molto momenti mondo morire morti motivi napoli naturale nazionale nazionali neanche necessario necessità negli nei nel nella nelle nello nemmeno nessun nessuna nessuno niente noi nonostante nostra nostre nostri notizia notizie notte nulla numeri numerosi nuova nuove nuovi nuovo obiettivo occasione occhi occhio offerta oggetto oggi ogni ognuno oltre onore opere opinione oppure ordine organizzazione ormai ottenere ottimo ottobre ovunque ovvero ovviamente paese paesi pagare pagine paio palazzo parco parigi parlando parlare parlato parola partecipazione particolare particolarmente partire partita partiti partito passaggio passare passato passi paura peccato peggio pensare pensato pensavo pensi pensiero perchè perché percorso perdere perfetto pericolo permesso personaggi personale persone però pezzi pezzo piace piacere piazza piccola piccole piccoli piccolo piedi piena pieno piu piuttosto più pochi poi poiché politiche polizia popolare popolazione popolo portare portato posizione possiamo possibile possibilità possono posti poter potere potete poteva potrebbe potrebbero potrà potuto precedenti prendere presenti presenza presso prezzi prezzo primi principali probabilmente problemi prodotti prodotto profilo progetti progetto proposito propri propria proprie proprietà proprio prossima prossimo protezione provare provato pubblica pubblicato pubblici pubblico punti puoi purtroppo può qualche qualcosa qualcuno quale quali qualità qualsiasi qualunque quante quanti quantità quattro quei quella quelli quello quest'anno questa queste questi questione questo quindi raccolta ragazza ragazze ragazzi ragazzo raggiungere ragione ragioni rapporti rapporto rappresenta realtà regione regioni regno regole relazione relazioni religione rendere repubblica responsabile responsabilità rete ricerca ricevuto richiesta ricorda ricordi ricordo riesce riesco riferimento riforma riguarda riguardo rimane rimanere rimasto rischio risorse rispetto rispondere risposta risultati risultato ritorno riuscito rosso ruolo sacco sanno sapere sappiamo saranno sarebbe sarebbero sarei sarà sbagliato scegliere scelta scelto schifo scoperto scopo scorso scritto scrive scrivere scuola scuole scusa sebbene secolo secondo segno seguente seguenti seguire seguito sembra sembrano semplice semplicemente sentire sentito sento senza serata servizi servizio sesso sette settembre settimana settimane settore sezione sia siamo siano sicuramente sicurezza significato signora signore silenzio simile simili sindaco sinistra sito situazione sociali società sogno soldi soltanto soluzione sono sopra soprattutto sorella sotto spagna spazio specialmente specie spero spese spesso spettacolo spirito squadra stagione stai stanno stasera stata stati stato stava stavo stazione stessa stesse stessi stesso stia stiamo storia storico storie strada strade strano strumenti strumento struttura studenti studi subito succede successo sugli sui sulla sulle sullo suo suoi superiore supporto sviluppo sì tanti tardi tempi tenere termini terza testo titoli titolo torino tornare tra tradizione traffico tramite tratta tribunale troppo trova trovano trovare trovato trovo tuo tuoi tutta tuttavia tutte tutti tutto ucciso ufficiale ufficio ultimi umani umano uniti unità università uomini uomo usare usato uscire uscita utenti vado valore valori vanno vari vecchia vecchio vede vedere vedi vediamo vedo velocità vendita venezia vengono venire venne veramente verità verrà versione verso viaggio vicino vinto violenza visione vita vittime vivere voci voglia vogliamo voglio vogliono voi volete voleva volo voluto vorrei vostra vostri vostro voti vuoi vuol vuole è
  88881808 certa congresso festa merda nome nove processo sua
  88882808 passando quarta rapidamente
  88884808 conta disse leva qual
  88884880 po studia
  88885808 branco essa fico maio mestre sete tentando vai
  88885880 mogli
  88886088 regio
  88886808 consegue
  88887088 provincie vele
  88887780 ono
  88887808 contato esse
  88888018 ruim
  88888048 mede
  88888080 proces tekst
  88888081 jezus procent seks ze
  88888086 kamer
  88888087 kop
  88888088 aan aandacht aangezien aantal aanval aanwezig aarde aardig absoluut achter achtergrond actie actief activiteiten advies advocaat af afdeling afgelopen afhankelijk afkomstig aflevering afspraak afstand aldus algemeen algemene alleen allemaal alsof altijd amerikaanse ander antwoord artikelen australië auto's avond baan bedankt bedoel bedoeld bedrijf bedrijven beeld beelden beetje begint begon begrijp begrijpen behalve behandeling bekend bekende bekijk bekijken belang belangrijk belangrijke belangrijkste beleid belgië beneden bent bepaald bepaalde bereiken bereikt beroep beschermen bescherming beschikbaar besloot besloten besluit bestaan bestaande bestaat bestuur betaald betalen betekent beter betere betreft betrekking betrokken bevat bevolking beweging bewijs bewoners bezig bezit bezoek bezoeken bezoekers bieden biedt bij bijna bijvoorbeeld bijzonder binnenkort blauwe bleef bleek blij blijf blijft blijkbaar blijkt blijven boek boeken boos bos bouw bouwen boven bovendien bracht brengen brengt britse broer bron brug brussel buiten buitenland burgemeester buurt centraal cijfers collega's commissie cultuur daar daarbij daardoor daarmee daarna daarnaast daarom daarvan daarvoor dacht dag dagelijks dagen dak dankzij dat deden deel deelnemers delen derde dergelijke deur deze dezelfde diep dieren dikke dochter doden doe doel doen doet donderdag dood doordat dorp draagt dragen drie drinken druk duidelijk duitse duitsland dus duurt economische een eenmaal eens eerder eerlijk eerst eerste eet eeuw eigen eigenaar eigenlijk eiland eind einde eindelijk elk elkaar enige enkele eraan erbij erg ergens erger ermee erop eruit ervan ervaring ervoor eten europese eén favoriete februari feest feit fiets fijn financiële foto's frankrijk frans franse functie ga gaan gaat gaf gaten gebaseerd gebeurd gebeurde gebeuren gebeurt gebied gebieden gebouw gebouwd gebouwen gebruik gebruiken gebruikt gebruikte gedaan gedachten gedood gedrag gedurende geef geeft geen gegaan gegeven gegevens gehaald gehad geheel gehoord gehouden gek gekomen gekozen gekregen geldt geleden geleerd gelezen gelijk geloof geloven geluid geluk gelukkig gemaakt gemeente gemeenten generaal geniet genieten genoeg genoemd genomen geopend georganiseerd geplaatst gepubliceerd geraakt geschiedenis geschreven geslacht gesloten gespeeld gesprek gesproken gesteld gestuurd gevaar geval gevallen gevangenis geven gevoel gevolg gevolgd gevolgen gevonden gevraagd geweest geweld geweldig geweldige gewerkt gewone gewoon gezegd gezet gezicht gezien gezin gezondheid gisteren goed goede goud gouden graag grappig grens groen groene groep groepen grond groningen groot grootste grote groter grotere haar haat hadden halen halve handen harde heb hebben heeft heel heen heerlijk heet helaas hele helemaal helpen helpt hem hen heren het hetzelfde hield hierbij hierdoor hiermee hieronder hiervan hiervoor hij hoe hoef hoeft hoek hoeveel hoewel hoge hoger hoi hond honger hoofd hoofdstad hoog hoogste hoogte hoop hoor hoorde hoort hopen horen hou houd houden houdt huidige huis huizen hulp hun huwelijk ideeën ieder iedere iedereen iemand iets ik inclusief inderdaad indruk informatie inhoud inmiddels internationaal invloed inwoners italië jaar januari japanse jarige jeugd jezelf jij jonge jongen jongens jongeren jou jouw juist juiste jullie kaart kan kans kantoor keer kennis kerk keuze kiezen kijk kijken kijkt kinderen klanten kleding kleur klinkt klopt koffie kom komen komende komt kon konden koning koninkrijk koop kopen kort korte krant kreeg kregen krijg krijgen krijgt kun kunnen kunt kwam kwamen kwijt laag laat laatste langs lastig laten leden leeft leeftijd leek leerlingen leger leggen leidde leiding leidt lekker leren leuk leuke leven lezen lichaam liefde liep liet liever liggen ligt lijken lijkt lijn lijst locatie londen loopt lopen lucht luisteren m'n maak maakt maakte maand maandag maanden maar maart maat maatregelen maatschappij maken makkelijk manier mannen medewerkers mee meer meerdere meest meestal meeste meid meisje meisjes mening mensen met meteen mezelf middel midden mij mijn miljard miljoen minder misschien mocht moeder moeilijk moeite moest moesten moet moeten mogelijk mogelijke mogelijkheden mogelijkheid mogen momenteel mooi mooie moord muur muziek naam naar naast nadat namelijk natuur natuurlijk nederland nederlands nederlandse neem neemt neer negen nemen nergens netwerk neuken niet niets nieuw nieuwe nieuws niks nodig noemen noemt nog nogal nooit noord noorden normaal nou nu ochtend officieel officiële ogen om omdat omgeving omstandigheden ondanks onder onderdeel ondertussen onderweg onderwerp onderwijs onderzoek onderzoeken ongeluk ongeveer ons ontstaan ontvangen ontwerp ontwikkeling onze oog ooit ook oorlog oost oosten op opdracht openbaar openbare opgenomen opleiding oplossing opnieuw optreden oranje orde organisatie organisaties oud oude ouders overal overheid overleden overwinning overzicht pakken parijs partij partijen persoon persoonlijk persoonlijke pijn plaats plaatsen plannen plek plezier politie politiek politieke positie praat prachtig prachtige praten precies prijs prijzen probeer probeert proberen probleem producten productie publiek punten raad reactie reacties reageren redden reeds regelmatig regels regering rekening relatie resultaat resultaten richting rij rijden rijk risico rivier rood ruimte rusland rustig samen samenleving samenwerking schip schoenen scholen schreef schrijf schrijven schrijver seizoen serieus sinds sint situatie slaan slaap slachtoffer slag slapen slecht slechte slechts sluit sluiten snel sneller sociaal sommige soms soort soorten spaanse spanje speciaal speelt spel spelen speler spelers spreekt spreken staan stad stap stappen staten steden steeds stel stelt stemmen sterk sterke steun stichting stijl stond straat straks strijd stuk stukje sturen stuur succes systeem taal tegen tegenover tegenwoordig teken telefoon terecht terug terwijl tevens thuis tijd tijden tijdens toch toe toegang toegevoegd toekomst toen toestemming toont tot totaal totdat trein trekken trots trouwens tuin turkije tussen twee tweede uit uiteindelijk uitgebreid uitgevoerd universiteit uren utrecht uur uw vaak vader vakantie vaker vallen valt van vanaf vanavond vandaag vandaan vanuit vanwege veel veilig veiligheid veld veranderd veranderen verantwoordelijk verdachte verder verdwenen verenigde vereniging vergeet vergeten verhaal verhalen verjaardag verkeerd verkeerde verkiezingen verkocht verkopen verlaten verleden verlies verliezen vermoord verschil verschillende vertaling vertelde vertellen vertelt vertrouwen vervangen vervoer vervolgens verwacht vijf vind vinden vindt vlaanderen vlak vlees vlucht voel voelen voelt voeren voetbal volg volgen volgende volgens volgt volledig volledige vond vonden voor vooral voorbeeld voorbeelden voorbij voordat voorkomen voormalig voormalige voorstellen voorzien voorzitter vorig vorige vormen vraag vraagt vragen vrede vreemd vriend vrienden vriendin vrij vrijdag vrije vrijheid vrijwel vroeg vroeger vrouw vrouwen vuur waar waarbij waard waarde waardoor waarheid waarin waarmee waarom waaronder waarop waarschijnlijk waarvan waarvoor wachten wakker wanneer wapen wat wedstrijd weer wees weet wegens weinig weken wel welk welke welkom werd wereld werkt werkte weten wij wijk wijze wil wilt winnaar winnen wist witte woensdag wonen woning woont woord woorden wordt wou z'n zaak zag zaken zal zat zaterdag zee zeer zeg zeggen zegt zei zelf zelfs zes zetten zeven zich zichzelf zie ziek ziekenhuis ziekte zien ziet zij zijn zin zingen zit zitten zo zo'n zoals zodat zodra zoek zoeken zoekt zogenaamde zolang zomaar zomer zon zondag zonder zoon zorg zorgen zorgt zou zouden zoveel zover zowel zuid zuiden zulke zullen zwaar zware zwart zwarte één
  88888108 controle
  88888180 centrum
  88888308 ter terras
  88888380 nam
  88888520 na
  88888580 brak
  88888780 noc
  88888800 nas
  88888805 fala
  88888806 serem
  88888807 gerais
  88888808 abaixo aberto acabou acesso acha achar achei acho acidente acima acontece acontecendo acontecer aconteceu acordo acredita acredito administração advogado afirmou agora agência ainda ajuda ajudar algum alguma algumas alguns alguém alunos alvo além amanhã animais aniversário ano anos antigo análise ao aos apesar apoio apresenta apresentar após aquela aquelas aquele aqueles aquilo artigo assim assistir associação atenção atividade atividades ato através atual atualmente até ação ações aí bairro baixa baixo banho batalha beleza bem boa bom brasileira brasileiro brasileiros brasília cabelo cabeça caixa caminho campanha capacidade carreira casal casamento cedo chama chamada chamado chamar chave chefe chega chegar chegou cheio chão cidade cidades ciência clube coisa coisas com comentários começa começar começo começou comigo comissão companhia comum comunicação comunidade comércio condições conhece conhecer conhecida conhecido conhecimento conheço consegui conseguiu conselho constituição construção contas conteúdo contou contrário contudo conversa coração crescimento criança crianças criação cá câmara céu dança daqui daí decidiu decisão defesa deixa deixando deixar deixe deixou dela delas dele deles demais depois deputado deputados descobrir desculpa desejo desenvolvimento dessa dessas desse desses desta destaque destes deu deus devem deveria devido dezembro diante diferença dinheiro direita direito direitos diretamente diretor direção disponível disso distância diz dizem dizendo dizer diário doença dor duas dá dê dúvida edição educação efeito ela elas ele eleições eles em embora emprego encontra encontro enquanto ensino entanto entendo entrou então episódio eram errado erro escola escolas escolha escolher escrever escreveu espanha espaço esperança espécie espírito esquerda essas esses estadual estava estavam estação esteja esteve estiver estou estranho estrutura estudantes estudo estudos estão exatamente exemplo existem existência experiência exército faculdade falando falar falei falou família famílias fato faz fazem fazendo fazer fazia faça faço feira feita feitas feito fevereiro fez fica ficam ficando ficar ficou filha filho filhos fim fique fiquei fiz fizeram fogo foi fome fontes fora foram formação força forças francês frança fundo função futebol ganhar ganhou garota geral geralmente geração gosta gostaria governador graça graças havia história histórias hoje homem homens horário houve há idade ideia ideias igreja ilha imagem imagens importância impossível imprensa incluindo incrível independente indústria infelizmente informação informações inglês instituições inteiro internacionais investigação início irmã irmão irmãos isso isto japão jardim jeito jogador jogadores jogar jogo jogos jornal jovem jovens juiz julho junho justiça já lançamento lembra lembrar lembro ler leste levar levou lhe lhes liberdade licença lidar ligação linha livro livros lixo locais longa longe longo luta lá língua maior maiores maioria maneira manhã manter março matéria medo meia meio melhor melhorar melhores membros memória menina meninas menino mensagem mesma mesmo mesmos metade meu meus milhões mim minha minhas ministério missão morrer morreu mortos mudança mudanças mudar mudou muita muitas muito muitos mulher mulheres município mãe mão mãos médio mês músicas nao naquele nasceu natureza necessidade necessário negócio negócios nenhum nenhuma nessa nesse nesta neste ninguém nisso noite nomes nossa nossas nosso nossos notícia notícias novamente novas novembro novo novos num numa não nível nós obrigada obrigado obter oficiais oito olha olhar olho olhos olá onde ontem operação opinião oportunidade opção ordem organização origem ouro outra outras outro outros outubro ouvir padrão pai palavra palavras parabéns parceria participação passada passado passagem passar passou pediu pela pelas pensei pequena pequeno perceber perdeu perfeito pergunta perguntas personagem perto pesquisa pessoa pessoal pessoas peça pior pode podem poderia poderá pois polícia ponto pontos população porra portanto português porém posição possui possível pouco poucos povo pra praia prazer praça precisam precisamos prefeito prefeitura presença pressão preto preço primeira primeiro primeiros principais prisão produtos produção professores profissionais profissional projeto projetos propriedade proteção provas provavelmente prática prêmio própria próprio pé pós qualidade qualquer quantidade quase quatro quem querem quero questão questões quis quiser rainha razão reais realidade receber recebeu redor referência região regiões regras relatório relação relações respeito responsabilidade responsável resposta reunião risco rosto roupa roupas rua ruas rádio rússia sabem saiba sair saiu saída saúde seguinte segurança seja sejam seleção sem sendo senhor senhora serviço serviços serão setembro seu seus silêncio sim simplesmente sinal sinto situação sob sociais sociedade solução somente sonho sonhos sou sozinha sozinho suas sucesso são século sério só talvez tamanho também televisão tem temos tempos tendo tenha tenham tenho tentar terceiro teria termos território terá teu teve tinha tinham tive tiver tiveram tivesse tornar tornou trabalha trabalhadores trabalhar trabalho trabalhos tradução tratamento traz trazer troca trás três tudo tá tão têm uma umas unidade universidade união usuários veio veja vejo velho velocidade vem verdade verdadeiro vermelho versão verão vezes viagem vindo violência vir visão viu viver você vocês voltar voltou vontade votação vou várias vários vão vê vítima às água é ótimo ônibus
  88888870 sensu
  88888880 aby akcja akcji akurat albo ale armii artykuł atak aż badania badań bardziej bardzo bedzie bez bezpieczeństwa bezpośrednio bierze biorąc biura blisko bo boga boli boże braku brakuje broni broń brzmi budowy budynku buty byc bycie byli bym być był była byłam byłby byłem było byłoby były byś bóg ból bądź będzie będziemy będziesz będą będę błąd cała całe całego całej całkiem całkowicie cały całym całą celem celu ceny chce chcecie chcemy chcesz chciał chciała chciałabym chciałam chciałbym chciałem chcieli chcą chcę chociaż chodzi choroby choć chuj chwili chwilę chyba chętnie chłopak ciała ciało ciebie ciekawe cieszę ciągle ciągu ciężko codziennie cokolwiek coraz coś czarny czas czasach czasami czasem czasie czasu czasów czego czegoś czeka czemu czerwca cześć czterech cztery czuje czuję czy czyli czym czymś czytać często części częścią część członkowie członków człowiek człowieka człowiekiem cóż daj daje dalej daleko danych dawno dać dał decyzji decyzję dla dlaczego dlatego dni dnia dniach dniu dobra dobre dobrego dobrej dobry dobrym dobrze dobrą dodatkowo dokładnie dolarów domu dopiero dopóki dostać dostał dostęp dosyć doszło dotyczy dotyczące doświadczenia dość drodze drogi drogą drogę druga drugi drugie drugiego drugiej drugim drugą drzwi duża duże dużej dużo duży dużą dwa dwie dwóch dyrektor dyskusji działa działalności działalność działania działań dzieci dziecka dziecko dzieje dziewczyna dziewczyny dzień dzisiaj dziwne dzięki dziękuję dziś długo dłużej edukacji energii europejskiej europie europy facet fajnie faktycznie filmie filmu filmy filmów firmy formie francji gdy gdyby gdybym gdyż gdzie gdzieś gimnazjum gminy godzin godziny godzinę gorzej gra granicy grudnia grupa grupie grupy góry gówno głos głosów głowie głowy głowę głupi głównie głównym hej historii historię hiszpanii idzie idę ilości ilość imię inaczej informacje informacji innego innej inni inny innych innym innymi internecie internetu istnieje istnieją itd itp iść iż jak jakaś jakby jaki jakich jakie jakiego jakiegoś jakiej jakieś jakim jakimś jakiś jako jakoś jaką jakąś jasne jedna jednak jednego jednej jedno jednocześnie jednostki jednym jedną jedyne jedynie jedyny jedynym jedzenie jego jej jesli jest jestem jesteś jesteście jesteśmy jeszcze jeśli jeżeli jutro juz już ją język języka języku kampanii kategorii każda każde każdego każdej każdy każdym każdą kiedy kiedykolwiek kiedyś kierunku kilka kilku kimś klasy kobiet kobieta kobiety kocham kod kogo kogoś kolei kolejna kolejne kolejny kolejnych komentarz komentarze komisji komuś koniec konta kontroli koło końca końcu kończy kościoła kościół kraj krajach kraju krajów krakowie krok krwi książek książka książki kto ktoś która które którego której który których którym którymi którzy którą kultury kupić kurwa kwestii kwietnia lat latach lecz lepiej lepsze lepszy leży liceum liczba liczby liczy linii lipca listopada listy liście lub lubi lubisz lubię ludności ludzi ludzie ludziom ludźmi lutego mają mam mamy masz matka matki mała małe mało mały mecz meczu miast miasta miasto miał miała miałam miałem miało miały miejsc miejsca miejscach miejsce miejscu mieli mieliśmy miesiąc miesiące miesięcy mieszka mieszkańców mieć mieście milionów minut między miło miłości miłość mln mnie mniej mnóstwo mną mocno mocy mogą mogę mogła moich moim moja moje mojego mojej moją momencie momentu moze może możecie możemy możesz możliwe możliwości możliwość można mu musi musiał musieli musimy musisz muszą muszę muzeum muzyka muzyki myśl myślałam myślałem myśleć myśli myślisz myślą myślę mógł mógłby mój mówi mówisz mówią mówiąc mówić mówię mówił mężczyzn mężczyzna mężczyźni młodych młodzieży nad nadal nadzieję nagle nagrody nagrodę najbardziej najczęściej najlepiej najlepsze najlepszy najlepszych najlepszym najmniej najpierw należy nami napisać napisał naprawdę narodowego narodowej nasi następnie nasz nasza nasze naszego naszej naszych naszym naszą natomiast natychmiast nauki nawet nazwa nazywa niby nic niczego niczym nie niech nieco niedawno niedługo niego niej niektóre niektórych niektórzy niemal niemcy niemczech niemiec niepodległości niestety niewiele nigdy nikogo nikomu nikt nim nimi nią niż nocy nogi normalnie nowa nowe nowego nowej nowy nowych nowym nową np numer obchodzi obecnie obok obraz obrony obu ochrony oczy oczywiście od odpowiada odpowiedzi odpowiedź oficjalnie ogóle ogólnie ojca ojciec okazało okazji okolicy około okres okresie opinii opis opozycji oprócz oraz organizacji osoba osobiście osoby osobą osobę ostatecznie ostatni ostatnich ostatnie ostatnim ostatnio osób oznacza pamięci pamiętam pani panie parku partia partii parę pasuje państw państwa państwo października pewien pewne pewnego pewnie pewno pewnością pełni pieniądze pieniędzy pierwsza pierwsze pierwszego pierwszej pierwszy pierwszych pierwszym pierwszą piosenki pisać pisze piątek piękna piękne pięć pobliżu pochodzi początek początku pod podczas podoba podobne podobnie podobno podstawie pojęcia pokazać pokazuje pokoju pokój polacy polaków polecam polega policja policji politycy polityka polityki polsce polska polski polskich polskie polskiego polskiej polskim pomaga pomimo pomiędzy pomoc pomocy pomocą pomoże pomysł pomóc ponad ponadto ponieważ poniżej ponownie poprzez pory porządku posiada postaci potem potrafi potrzeba potrzebuje potrzeby poważnie powie powiedz powiedział powiedziała powiedzieć powiem powierzchni powinien powinna powinni powinniśmy powinno powinny powodu powodzenia powoli powód poza poziom poziomie poznać pozwala pozycji południowej prac praca prace pracować pracowników pracuje pracy pracę praktycznie praw prawa prawda prawdopodobnie prawdziwe prawdziwy prawdę prawie prawo premiera prezes prezydent prezydenta problemem problemu problemy problemów produkcji programu projektu proste prostu proszę prowadzi przecież przeciw przeciwko przed przede przepraszam przestrzeni przez przy przyjaciół przykro przykład przynajmniej przypadek przypadku przypomina przyszłości przyszłość próbuje publicznej punktu punktów pytania pytanie pytań póki pół później rację raczej rady radę ramach rano raz razem razie razu razy regionie reszta robisz robią robić robię rodzaj rodzaju rodzice rodziców rodzina rodzinie rodziny roku roli rolę rosji rozmowy rozumiem rozwiązanie rozwoju rozwój ruch ruchu rynek rynku rzecz rzeczy rzeczywistości rzeczywiście rząd rządu równie również różne różnych ręce rękę sama samego samej samo samochodu samochód samych samym samą serca serce serii sezon siebie sieci sierpnia się sił siły skoro skąd składa sobie sobą specjalnie spoko spokojnie sporo sposób spotkania spotkanie społeczeństwa społecznej spraw sprawa sprawdzić sprawia sprawie sprawiedliwości sprawy sprawę stacji staje stanach stanie stanowi stanowiska stanowisko stanu stanów stara stary stać stał stała stało stoi stopniu stosunku strasznie stron strona stronie strony stronę stycznia stylu stąd sukces sumie swego swoich swoim swoimi swoje swojego swojej swoją swój syn syna systemu sytuacja sytuacji szansę szczególnie szczerze szczęście szef szkoda szkole szkoła szkoły szkół sztuki szukać szybciej szybko są sąd sądu słowa słowo służby słów tacy tak taka taki takich takie takiego takiej takim taką także tam technologii tego tej telewizji temat temu teraz terenie tez też tle tobą trakcie treści trochę trudne trudno trwa trzeba trzech trzy tutaj tuż twarz twarzy twierdzi twitterze twoich twoim twoja twoje twojego twojej twoją twój ty tych tydzień tygodni tygodnie tygodniu tyle tylko tym tymczasem tymi typu tys tysięcy tytuł tzw tą tę tłumaczenie uczniów uczyć udało udział udziału ulicy unii uniwersytetu ustawa ustawy uwaga uwagi uwagę uważa uważam użytkowników w walczyć walki wam warszawa warszawie warszawy warto wartości warunki wasze ważne wcale wchodzi wciąż wcześniej wczoraj według wersja wersji weź wiadomo wiadomości wiadomość widać widzenia widzi widziałam widziałem widzisz widzę wiec wiecie wieczorem wiedzieć wiedzy wiedzą wieku wiele wielka wielki wielkie wielkiego wielkiej wielkim wielką wielu wiem wiemy wierzę wiesz wina witam więc więcej większe większości większość większą więzienia wkrótce wobec woda wody wojna wojny wokół woli wolno wolności wolność wpływ wraz wrażenie wreszcie września wręcz wschodniej wsi wsparcie wspólnego współpracy wszyscy wszystkich wszystkie wszystkiego wszystkim wszystko wszędzie wtedy wy wyborach wyboru wybory wyborów wybór wychodzi wydaje wydarzenia wygląda wyjść wymaga wynik wynika wyniki wyniku wynosi wypadku wypowiedzi wysokości wystarczy wyłącznie względem względu wziąć wzrost wówczas wątpliwości władze władzy własne własnego własnej własnych własną właściwie właśnie włosy wśród z za zaczyna zacząć zaczął zadanie zajmuje zakresie zależy zamiast zanim zapewne zaraz zarówno zasad zasady zatem zawiera zawsze zazwyczaj zaś zbyt zdaje zdanie zdaniem zdecydowanie zdjęcia zdjęcie zdjęć zdrowia zdrowie zeby zespołu zespół zgodnie ziemi zjednoczonych zmian zmiana zmiany zmienia zmienić zna znaczenia znaczenie znacznie znaczy znajduje znajdują znak znalazł znaleźć znam znany znasz znowu znów zobacz zobaczyć zostaje zostali zostanie zostaną zostać został została zostało zostały zrobi zrobić zrobię zrobił zrozumieć zupełnie zwierząt związane związanych związek związku zwykle zwłaszcza zł zła złe złego zły łatwiej łatwo śmierci śmierć środku środków środowiska św świat świata światowej świecie świetnie święta źle źródła źródło żaden żadnego żadnej żadnych że żeby żona żołnierzy życia życie życiu żyje żyć
`;
