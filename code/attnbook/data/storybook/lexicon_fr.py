"""The French words, one entry per line, each beside its English word.

Every form is written out, so that a reader can check it without knowing
the rules.  An ``*`` marks the aspirated h, before which nothing is elided.
"""

from typing import NamedTuple

from attnbook.data.storybook.tables import read_rows, read_table


class Noun(NamedTuple):
    """A noun: its two forms and its gender, "m" or "f"."""

    singular: str
    plural: str
    gender: str


class Agreeing(NamedTuple):
    """An adjective or determiner: one form for each noun it may meet."""

    masculine: str
    feminine: str
    masculine_plural: str
    feminine_plural: str
    masculine_vowel: str = ""  # before a vowel, where that differs
    feminine_vowel: str = ""


class Verb(NamedTuple):
    """A verb; the present has the five persons of `plans`."""

    infinitive: str
    i: str
    you: str
    singular: str
    we: str
    plural: str
    participle: str
    future: str
    imperfect: str = ""  # only of states: their past
    moves: bool = False  # whether its past is made with *être*


class Person(NamedTuple):
    """A personal pronoun in its four forms."""

    subject: str
    object: str
    receiver: str
    stressed: str  # after *que*: "plus grand que moi"
    gender: str
    many: bool


_NOUNS = """
    animal      animal      animaux      m
    cat         chat        chats        m
    dog         chien       chiens       m
    horse       cheval      chevaux      m
    cow         vache       vaches       f
    mouse       souris      souris       f
    hen         poule       poules       f
    turtle      tortue      tortues      f
    bird        oiseau      oiseaux      m
    donkey      âne         ânes         m
    frog        grenouille  grenouilles  f
    fox         renard      renards      m
    spider      araignée    araignées    f
    bee         abeille     abeilles     f
    wolf        loup        loups        m
    bear        ours        ours         m
    rabbit      lapin       lapins       m
    snail       escargot    escargots    m
    giraffe     girafe      girafes      f
    monkey      singe       singes       m
    elephant    éléphant    éléphants    m
    hedgehog    *hérisson   *hérissons   m
    owl         *hibou      *hiboux      m
    lion        lion        lions        m
    squirrel    écureuil    écureuils    m

    girl        fille       filles       f
    boy         garçon      garçons      m
    woman       femme       femmes       f
    man         homme       hommes       m
    queen       reine       reines       f
    king        roi         rois         m
    princess    princesse   princesses   f
    prince      prince      princes      m
    witch       sorcière    sorcières    f
    wizard      magicien    magiciens    m
    grandmother grand-mère  grands-mères f
    grandfather grand-père  grands-pères m
    mother      mère        mères        f
    father      père        pères        m
    fairy       fée         fées         f
    giant       géant       géants       m
    student     étudiant    étudiants    m
    teacher     professeur  professeurs  m
    doctor      médecin     médecins     m
    singer      chanteur    chanteurs    m
    dancer      danseur     danseurs     m
    farmer      fermier     fermiers     m
    friend      ami         amis         m
    child       enfant      enfants      m

    street      rue         rues         f
    road        route       routes       f
    river       rivière     rivières     f
    bridge      pont        ponts        m
    meadow      pré         prés         m
    desert      désert      déserts      m
    forest      forêt       forêts       f
    valley      vallée      vallées      f
    stream      ruisseau    ruisseaux    m
    tunnel      tunnel      tunnels      m
    swamp       marais      marais       m
    island      île         îles         f
    hill        colline     collines     f

    garden      jardin      jardins      m
    kitchen     cuisine     cuisines     f
    house       maison      maisons      f
    park        parc        parcs        m
    school      école       écoles       f
    room        pièce       pièces       f
    hotel       hôtel       hôtels       m
    castle      château     châteaux     m
    library     bibliothèque bibliothèques f
    cave        grotte      grottes      f
    tree        arbre       arbres       m

    apple       pomme       pommes       f
    carrot      carotte     carottes     f
    cake        gâteau      gâteaux      m
    leaf        feuille     feuilles     f
    pear        poire       poires       f
    egg         œuf         œufs         m
    orange      orange      oranges      f
    lemon       citron      citrons      m
    tomato      tomate      tomates      f
    cherry      cerise      cerises      f
    cookie      biscuit     biscuits     m
    sandwich    sandwich    sandwichs    m
    walnut      noix        noix         f
    cabbage     chou        choux        m
    chilli      piment      piments      m

    box         boîte       boîtes       f
    stone       pierre      pierres      f
    bag         sac         sacs         m
    bottle      bouteille   bouteilles   f
    basket      panier      paniers      m
    book        livre       livres       m
    bucket      seau        seaux        m
    ladder      échelle     échelles     f
    umbrella    parapluie   parapluies   m
    letter      lettre      lettres      f
    flower      fleur       fleurs       f
    picture     dessin      dessins      m
    piano       piano       pianos       m
    clock       horloge     horloges     f
    axe         *hache      *haches      f
    jewel       bijou       bijoux       m
    mirror      miroir      miroirs      m
    rug         tapis       tapis        m
    newspaper   journal     journaux     m

    table       table       tables       f
    chair       chaise      chaises      f
    bed         lit         lits         m

    hat         chapeau     chapeaux     m
    coat        manteau     manteaux     m
    ring        bague       bagues       f
    scarf       écharpe     écharpes     f
    crown       couronne    couronnes    f
    dress       robe        robes        f
    belt        ceinture    ceintures    f

    key         clé         clés         f
    knife       couteau     couteaux     m
    hammer      marteau     marteaux     m
    brush       pinceau     pinceaux     m
    pencil      crayon      crayons      m
    feather     plume       plumes       f
    sponge      éponge      éponges      f
    net         filet       filets       m
    broom       balai       balais       m
    """

# Infinitive, present (je, tu, il, nous, ils), participle, future (il).  A
# ninth form, the imperfect (il), marks a state: it is the past of the verb.
# A "+" marks a participle that goes with *être*.
_VERBS = """
    cross    traverser   traverse    traverses   traverse    traversons  traversent  traversé    traversera
    explore  explorer    explore     explores    explore     explorons   explorent   exploré     explorera
    visit    visiter     visite      visites     visite      visitons    visitent    visité      visitera
    guard    surveiller  surveille   surveilles  surveille   surveillons surveillent surveillé   surveillera
    avoid    éviter      évite       évites      évite       évitons     évitent     évité       évitera

    eat      manger      mange       manges      mange       mangeons    mangent     mangé       mangera
    taste    goûter      goûte       goûtes      goûte       goûtons     goûtent     goûté       goûtera
    swallow  avaler      avale       avales      avale       avalons     avalent     avalé       avalera
    chew     mâcher      mâche       mâches      mâche       mâchons     mâchent     mâché       mâchera
    bake     cuire       cuis        cuis        cuit        cuisons     cuisent     cuit        cuira
    wash     laver       lave        laves       lave        lavons      lavent      lavé        lavera

    lift     soulever    soulève     soulèves    soulève     soulevons   soulèvent   soulevé     soulèvera
    push     pousser     pousse      pousses     pousse      poussons    poussent    poussé      poussera
    pull     tirer       tire        tires       tire        tirons      tirent      tiré        tirera
    carry    transporter transporte  transportes transporte  transportons transportent transporté  transportera
    throw    lancer      lance       lances      lance       lançons     lancent     lancé       lancera
    clean    nettoyer    nettoie     nettoies    nettoie     nettoyons   nettoient   nettoyé     nettoiera
    paint    peindre     peins       peins       peint       peignons    peignent    peint       peindra

    find     trouver     trouve      trouves     trouve      trouvons    trouvent    trouvé      trouvera
    buy      acheter     achète      achètes     achète      achetons    achètent    acheté      achètera
    steal    voler       vole        voles       vole        volons      volent      volé        volera
    hide     cacher      cache       caches      cache       cachons     cachent     caché       cachera
    sell     vendre      vends       vends       vend        vendons     vendent     vendu       vendra
    draw     dessiner    dessine     dessines    dessine     dessinons   dessinent   dessiné     dessinera

    see      voir        vois        vois        voit        voyons      voient      vu          verra
    follow   suivre      suis        suis        suit        suivons     suivent     suivi       suivra
    chase    pourchasser pourchasse  pourchasses pourchasse  pourchassons pourchassent pourchassé  pourchassera
    help     aider       aide        aides       aide        aidons      aident      aidé        aidera
    love     aimer       aime        aimes       aime        aimons      aiment      aimé        aimera      aimait
    meet     rencontrer  rencontre   rencontres  rencontre   rencontrons rencontrent rencontré   rencontrera
    call     appeler     appelle     appelles    appelle     appelons    appellent   appelé      appellera
    bite     mordre      mords       mords       mord        mordons     mordent     mordu       mordra
    catch    attraper    attrape     attrapes    attrape     attrapons   attrapent   attrapé     attrapera
    protect  protéger    protège     protèges    protège     protégeons  protègent   protégé     protégera
    fear     craindre    crains      crains      craint      craignons   craignent   craint      craindra    craignait

    give     donner      donne       donnes      donne       donnons     donnent     donné       donnera
    show     montrer     montre      montres     montre      montrons    montrent    montré      montrera
    lend     prêter      prête       prêtes      prête       prêtons     prêtent     prêté       prêtera
    bring    apporter    apporte     apportes    apporte     apportons   apportent   apporté     apportera
    send     envoyer     envoie      envoies     envoie      envoyons    envoient    envoyé      enverra

    sleep    dormir      dors        dors        dort        dormons     dorment     dormi       dormira
    sing     chanter     chante      chantes     chante      chantons    chantent    chanté      chantera
    dance    danser      danse       danses      danse       dansons     dansent     dansé       dansera
    jump     sauter      saute       sautes      saute       sautons     sautent     sauté       sautera
    swim     nager       nage        nages       nage        nageons     nagent      nagé        nagera
    laugh    rire        ris         ris         rit         rions       rient       ri          rira
    cry      pleurer     pleure      pleures     pleure      pleurons    pleurent    pleuré      pleurera
    run      courir      cours       cours       court       courons     courent     couru       courra
    wait     attendre    attends     attends     attend      attendons   attendent   attendu     attendra
    work     travailler  travaille   travailles  travaille   travaillons travaillent travaillé   travaillera
    play     jouer       joue        joues       joue        jouons      jouent      joué        jouera
    tremble  trembler    tremble     trembles    tremble     tremblons   tremblent   tremblé     tremblera

    open     ouvrir      ouvre       ouvres      ouvre       ouvrons     ouvrent     ouvert      ouvrira
    peel     éplucher    épluche     épluches    épluche     épluchons   épluchent   épluché     épluchera
    break    casser      casse       casses      casse       cassons     cassent     cassé       cassera
    sweep    balayer     balaie      balaies     balaie      balayons    balaient    balayé      balaiera
    wear     porter      porte       portes      porte       portons     portent     porté       portera     portait
    want     vouloir     veux        veux        veut        voulons     veulent     voulu       voudra      voulait
    like     aimer       aime        aimes       aime        aimons      aiment      aimé        aimera      aimait
    have     avoir       ai          as          a           avons       ont         eu          aura        avait
    be       être        suis        es          est         sommes      sont        été         sera        était
    can      pouvoir     peux        peux        peut        pouvons     peuvent     pu          pourra      pouvait
    go       aller       vais        vas         va          allons      vont        +allé       ira
    """

# Before the noun or after it; then the forms of `Agreeing`.  A colon gives
# the form for one kind of noun only.
_ADJECTIVES = """
    small      before petit petite petits petites
    big        before grand grande grands grandes
    big:animal before gros grosse gros grosses
    big:food   before gros grosse gros grosses
    big:giraffe before grand grande grands grandes
    big:horse  before grand grande grands grandes
    big:cow    before grand grande grands grandes
    big:wolf   before grand grande grands grandes
    big:lion   before grand grande grands grandes
    big:donkey before grand grande grands grandes
    big:book   before gros grosse gros grosses
    big:leaf   before grand grande grands grandes
    big:ring   before gros grosse gros grosses
    big:jewel  before gros grosse gros grosses
    big:stone  before gros grosse gros grosses
    old        before vieux vieille vieux vieilles vieil
    young      before jeune jeune jeunes jeunes
    new        before nouveau nouvelle nouveaux nouvelles nouvel
    pretty     before joli jolie jolis jolies
    beautiful  before beau belle beaux belles bel
    strange    after  étrange étrange étranges étranges
    clever     after  intelligent intelligente intelligents intelligentes
    brave      after  courageux courageuse courageux courageuses
    strong     after  fort forte forts fortes
    fast       after  rapide rapide rapides rapides
    slow       after  lent lente lents lentes
    kind       before gentil gentille gentils gentilles
    famous     after  célèbre célèbre célèbres célèbres
    quiet      after  calme calme calmes calmes
    fresh      after  frais fraîche frais fraîches
    black      after  noir noire noirs noires
    white      after  blanc blanche blancs blanches
    grey       after  gris grise gris grises
    red        after  rouge rouge rouges rouges
    yellow     after  jaune jaune jaunes jaunes
    green      after  vert verte verts vertes
    blue       after  bleu bleue bleus bleues

    happy      after  heureux heureuse heureux heureuses
    tired      after  fatigué fatiguée fatigués fatiguées
    hungry     after  affamé affamée affamés affamées
    thirsty    after  assoiffé assoiffée assoiffés assoiffées
    sick       after  malade malade malades malades
    sleepy     after  somnolent somnolente somnolents somnolentes
    lazy       after  paresseux paresseuse paresseux paresseuses
    nervous    after  nerveux nerveuse nerveux nerveuses
    shy        after  timide timide timides timides
    scared     after  effrayé effrayée effrayés effrayées
    sad        after  triste triste tristes tristes
    angry      after  fâché fâchée fâchés fâchées
    worried    after  inquiet inquiète inquiets inquiètes
    clumsy     after  maladroit maladroite maladroits maladroites

    wide       after  large large larges larges
    long       before  long longue longs longues
    dark       after  sombre sombre sombres sombres
    narrow     after  étroit étroite étroits étroites
    deep       after  profond profonde profonds profondes
    steep      after  escarpé escarpée escarpés escarpées
    crowded    after  bondé bondée bondés bondées
    sour       after  acide acide acides acides
    salty      after  salé salée salés salées
    bitter     after  amer amère amers amères
    spicy      after  piquant piquante piquants piquantes
    sweet      after  sucré sucrée sucrés sucrées
    hard       after  dur dure durs dures
    heavy      after  lourd lourde lourds lourdes
    slippery   after  glissant glissante glissants glissantes
    sticky     after  collant collante collants collantes
    expensive  after  cher chère chers chères
    expensive:thing after coûteux coûteuse coûteux coûteuses
    """

_DETERMINERS = """
    the    le    la    les    les
    a      un    une   un     une
    this   ce    cette ces    ces    cet  cette
    my     mon   ma    mes    mes    mon  mon
    your   ton   ta    tes    tes    ton  ton
    his    son   sa    ses    ses    son  son
    her    son   sa    ses    ses    son  son
    our    notre notre nos    nos
    their  leur  leur  leurs  leurs
    some   un    une   des    des
    two    deux  deux  deux   deux
    three  trois trois trois  trois
    four   quatre quatre quatre quatre
    """

# What one has rather than is: *avoir faim*.  Before a noun: `_ADJECTIVES`.
_HAD = """
    hungry     faim
    thirsty    soif
    sleepy     sommeil
    scared     peur
    """

# A woman of that trade, where the word changes.
_FEMININE = """
    student  étudiante   étudiantes
    teacher  professeure professeures
    singer   chanteuse   chanteuses
    dancer   danseuse    danseuses
    farmer   fermière    fermières
    friend   amie        amies
    """

# Subject, object, receiver, stressed, gender, number.  English leaves open
# who *I*, *you*, *we* and *they* are, and what *it* is; here they are always
# masculine, and *you* is one person whom one says *tu* to.
_PRONOUNS = """
    i     je    me   me   moi   m one
    you   tu    te   te   toi   m one
    he    il    le   lui  lui   m one
    she   elle  la   lui  elle  f one
    it    il    le   lui  lui   m one
    we    nous  nous nous nous  m many
    they  ils   les  leur eux   m many
    this  ce    -    -    -     m one
    """

_OTHER = """
    yesterday    hier
    today        aujourd'hui
    sometimes    parfois
    tomorrow     demain
    soon         bientôt
    slowly       lentement
    quickly      rapidement
    quietly      en silence
    happily      joyeusement
    together     ensemble
    in           dans
    behind       derrière
    near         près de
    in_front_of  devant
    next_to      à côté de
    under        sous
    on           sur
    too          trop
    very         très
    """


def _bare(*forms):
    """Drop the marks of the aspirated h."""
    return Noun(*(form.removeprefix("*") for form in forms))


NOUNS = read_table(_NOUNS, _bare)
ASPIRATED = frozenset(
    form[1:] for row in read_rows(_NOUNS) for form in row if form[0] == "*"
)


def _verb(*forms):
    """Read the mark of a verb of movement."""
    verb = Verb(*forms)
    bare = verb.participle.removeprefix("+")
    return verb._replace(participle=bare, moves=bare != verb.participle)


def _word(word):
    return word


VERBS = read_table(_VERBS, _verb)
HAD = read_table(_HAD, _word)
FEMININE = read_table(
    _FEMININE, lambda singular, plural: Noun(singular, plural, "f")
)
PRONOUNS = read_table(
    _PRONOUNS, lambda *forms: Person(*forms[:5], many=forms[5] == "many")
)
ADJECTIVES = read_table(
    _ADJECTIVES, lambda place, *forms: (place, Agreeing(*forms))
)
DETERMINERS = read_table(_DETERMINERS, Agreeing)
OTHER = read_table(_OTHER, lambda *words: words)
