"""The English words, and which of them go together.

What *it* means must follow from meaning alone.  So the adjectives that can
give a reason are split into those of a doer (`DOER_QUALITIES`) and those of
an object (`OBJECT_QUALITIES`); a word that fits both, such as *hot* or
*dirty*, has no place here, and a noun bars what fits it by nature (a frog is
slippery).  Nor has a word whose forms are alike (*put*, *read*, *sheep*): it
would give one sentence two translations.
"""

from typing import NamedTuple

from attnbook.data.storybook.tables import read_rows, read_table


class Noun(NamedTuple):
    """A noun: its plural, what it names, and its pronoun."""

    plural: str
    kind: str
    pronoun: str  # of the singular; "" for a student, who is he or she
    barred: tuple  # words that do not suit it


class Verb(NamedTuple):
    """A verb: its forms, and the kinds of object that it takes."""

    third: str
    past: str
    kinds: tuple


class Person(NamedTuple):
    """A personal pronoun: *i* as an object and as an owner, *me* and *my*."""

    object: str
    owner: str
    many: bool


# Singular, plural, "she", "he" or "?" (either); after "-" what does not suit
# it, in one of the languages: one does not *cross* a tunnel in Korean, and
# French *notre fille* is a daughter.  *first_second* bars a pair of verbs.
_NOUNS = {
    "animal": """
        animal      animals
        cat         cats
        dog         dogs
        horse       horses
        cow         cows
        mouse       mice
        hen         hens
        turtle      turtles
        bird        birds
        donkey      donkeys
        frog        frogs        -slippery -sticky
        fox         foxes
        spider      spiders
        bee         bees
        wolf        wolves
        bear        bears        -wide
        rabbit      rabbits
        snail       snails       -slippery -sticky
        giraffe     giraffes     -wide -long
        monkey      monkeys
        elephant    elephants    -wide -long
        hedgehog    hedgehogs
        owl         owls
        lion        lions
        squirrel    squirrels
        """,
    "human": """
        girl        girls        she -old -young -our
        boy         boys         he  -old -young -our -pretty -beautiful
        woman       women        she -our
        man         men          he -our -kind -pretty -beautiful
        queen       queens       she
        king        kings        he  -pretty -beautiful
        princess    princesses   she -old
        prince      princes      he  -old -pretty -beautiful
        witch       witches      she
        wizard      wizards      he  -pretty -beautiful
        grandmother grandmothers she -old -young -pretty -beautiful
        grandfather grandfathers he  -old -young -pretty -beautiful
        mother      mothers      she -old -young -small -pretty -beautiful
        father      fathers      he  -old -young -small -pretty -beautiful
        fairy       fairies      she -old
        giant       giants       he  -small -pretty -beautiful
        student     students     ?   -old -pretty -beautiful
        teacher     teachers     ?   -pretty -old -beautiful
        doctor      doctors      ?   -pretty -old -beautiful
        singer      singers      ?
        dancer      dancers      ?
        farmer      farmers      ?   -pretty -beautiful
        friend      friends      ?   -pretty -old -beautiful -small
        child       children     ?   -old -young -our -beautiful
        """,
    "place": """
        street      streets      -explore
        road        roads        -explore
        river       rivers       -old -new
        bridge      bridges      -explore
        meadow      meadows      -old -new -cross
        desert      deserts      -old -new -pretty
        forest      forests      -new -cross
        valley      valleys      -old -new
        stream      streams      -old -new -famous
        tunnel      tunnels      -quiet -cross
        swamp       swamps       -old -new -pretty
        island      islands      -old -new -cross
        hill        hills        -old -new -cross
        """,
    "site": """
        garden      gardens
        kitchen     kitchens     -famous -beautiful -visit
        house       houses
        park        parks
        school      schools -big
        room rooms -famous -visit -go -behind -in_front_of -next_to
        hotel       hotels
        castle      castles
        library     libraries
        cave        caves        -old -new -pretty
        tree        trees        -in -new -quiet -famous -visit -go
        """,
    "food": """
        apple       apples
        carrot      carrots
        cake        cakes        -wash -find_bake -buy_bake -steal_bake
        leaf        leaves       -bake
        pear        pears
        egg         eggs
        orange      oranges      -red -green -yellow
        lemon       lemons       -red -green
        tomato      tomatoes
        cherry      cherries     -big -green
        cookie      cookies      -green -wash -find_bake -buy_bake -steal_bake
        sandwich    sandwiches   -red -green -yellow -wash -bake
        walnut      walnuts      -red -yellow -fresh
        cabbage     cabbages     -yellow
        chilli      chillies
        """,
    "thing": """
        box         boxes
        stone       stones       -old -new
        bag         bags
        bottle      bottles
        basket      baskets
        book        books
        bucket      buckets
        ladder      ladders
        umbrella    umbrellas
        letter      letters      -big -beautiful -clean
        flower      flowers      -old -new -clean
        picture     pictures     -red -yellow -green -blue -draw
        piano       pianos       -red
        clock       clocks
        axe         axes         -pretty -beautiful
        jewel       jewels       -new
        mirror      mirrors      -red -yellow -green -blue
        rug         rugs         -clean
        newspaper newspapers -red -yellow -green -blue -pretty -clean
        """,
    "furniture": """
        table       tables
        chair       chairs
        bed         beds
        """,
    "clothes": """
        hat         hats
        coat        coats
        ring        rings        -old -red -blue -green
        scarf       scarves
        crown       crowns       -old -red -blue -green -grey -black
        dress       dresses
        belt        belts
        """,
    "tool": """
        key         keys
        knife       knives
        hammer      hammers
        brush       brushes
        pencil      pencils
        feather     feathers
        sponge      sponges
        net         nets
        broom       brooms
        """,
}

# Base, third person, past, kinds of object ("-" takes none).
_VERBS = """
    cross    crosses   crossed    place
    explore  explores  explored   place
    visit    visits    visited    site
    guard    guards    guarded    place
    avoid    avoids    avoided    place

    eat      eats      ate        food
    taste    tastes    tasted     food
    swallow  swallows  swallowed  food
    chew     chews     chewed     food
    bake     bakes     baked      food
    wash     washes    washed     food

    lift     lifts     lifted     thing furniture
    push     pushes    pushed     thing furniture
    pull     pulls     pulled     thing furniture
    carry    carries   carried    thing furniture
    throw    throws    threw      thing
    clean    cleans    cleaned    thing furniture
    paint    paints    painted    furniture

    find     finds     found      food thing clothes animal
    buy      buys      bought     food thing furniture clothes
    steal    steals    stole      food thing clothes
    hide     hides     hid        food thing clothes
    sell     sells     sold       food thing furniture clothes
    draw     draws     drew       food thing place animal human

    see      sees      saw        animal human
    follow   follows   followed   animal human
    chase    chases    chased     animal human
    help     helps     helped     animal human
    love     loves     loved      animal human
    meet     meets     met        animal human
    call     calls     called     animal human
    bite     bites     bit        animal human
    catch    catches   caught     animal
    protect  protects  protected  animal human
    fear     fears     feared     animal human
    like     likes     liked      animal human food thing clothes

    give     gives     gave       -
    show     shows     showed     -
    lend     lends     lent       -
    bring    brings    brought    -
    send     sends     sent       -

    sleep    sleeps    slept      -
    sing     sings     sang       -
    dance    dances    danced     -
    jump     jumps     jumped     -
    swim     swims     swam       -
    laugh    laughs    laughed    -
    cry      cries     cried      -
    run      runs      ran        -
    wait     waits     waited     -
    work     works     worked     -
    play     plays     played     -
    tremble  trembles  trembled   -

    open     opens     opened     -
    peel     peels     peeled     -
    break    breaks    broke      -
    sweep    sweeps    swept      -
    wear     wears     wore       -
    want     wants     wanted     -
    have     has       had        -
    go       goes      went       -
    """

GIVING = ("give", "show", "lend", "bring", "send", "sell")
RESTING = (
    *("sleep", "sing", "dance", "jump", "swim", "laugh"),
    *("cry", "run", "wait", "work", "play", "tremble"),
)
FEELING = (
    "love",
    "fear",
    "like",
)  # states: nobody wants to, nowhere in particular

# Two verbs with one object: what is done first, what can be done then.
CHAIN_FIRST = {
    "food": ("find", "buy", "steal", "wash"),
    "thing": ("find", "buy", "steal", "clean"),
}
CHAIN_SECOND = {
    "food": ("eat", "taste", "swallow", "chew", "hide", "sell", "bake"),
    "thing": ("hide", "sell", "draw", "throw", "carry"),
}

# Group, then the kinds of noun.  Two adjectives: one of size, one of colour,
# never *new*, which Korean would read as part of the colour (*saehayan*).
_ADJECTIVES = """
    small      size     animal human place site food thing furniture clothes
    big        size     animal place site food thing furniture clothes
    old        size     animal human place site thing furniture clothes
    young      size     animal human
    new        size     place site thing furniture clothes
    pretty     quality  animal human place site thing furniture clothes
    beautiful  quality  animal human place site thing clothes
    strange    quality  animal human place site food thing furniture clothes
    clever     quality  animal human
    brave      quality  animal human
    fast       quality  animal
    slow       quality  animal
    kind       quality  human
    famous     quality  human place site
    quiet      quality  human place site
    fresh      quality  food
    black      colour   animal thing furniture clothes
    white      colour   animal thing furniture clothes
    grey       colour   animal clothes
    red        colour   food thing furniture clothes
    yellow     colour   food thing furniture clothes
    green      colour   food thing furniture clothes
    blue       colour   thing furniture clothes
    """
UNSAID = ("new",)  # never after *be*: Korean would say *novel*
UNGRADED = ("grey", "green")  # nouns in Korean: never *very green*

# How the comparative is made ("more": with that word).
_COMPARED = """
    small      smaller
    big        bigger
    old        older
    young      younger
    pretty     prettier
    beautiful  more
    strange    stranger
    clever     cleverer
    brave      braver
    fast       faster
    slow       slower
    kind       kinder
    famous     more
    quiet      quieter
    fresh      fresher
    strong     stronger
    happy      happier
    tired      more
    hungry     hungrier
    thirsty    thirstier
    sick       sicker
    sleepy     sleepier
    lazy       lazier
    nervous    more
    shy        shyer
    scared     more
    sad        sadder
    angry      angrier
    worried    more
    clumsy     clumsier
    wide       wider
    long       longer
    dark       darker
    narrow     narrower
    deep       deeper
    steep      steeper
    crowded    more
    sour       sourer
    salty      saltier
    bitter     more
    spicy      spicier
    sweet      sweeter
    hard       harder
    heavy      heavier
    slippery   more
    sticky     stickier
    expensive  more
    """

# Reasons of a doer, and the kinds of object that they keep it from.
_DOER_QUALITIES = """
    tired      place food thing
    hungry     place thing
    thirsty    place thing
    sick       place food thing
    sleepy     place food thing
    lazy       place thing
    nervous    place food thing
    shy        place thing
    scared     place food thing
    sad        place food thing
    angry      place food thing
    worried    place food thing
    clumsy     place thing
    """

# Reasons of an object: kind, verbs, then a table of qualities with the nouns
# that they suit ("any": all of that kind).
_OBJECT_QUALITIES = (
    (
        "place",
        "cross explore",
        """
        wide       street road river valley swamp
        dark       street road forest tunnel swamp valley meadow
        deep       river stream swamp valley
        steep      hill street road
        crowded    street road bridge tunnel island
        """,
    ),
    (
        "place",
        "explore",
        """
        long       tunnel valley
        narrow     tunnel valley stream
        """,
    ),
    (
        "food",
        "eat taste swallow chew",
        """
        sour       apple pear orange lemon tomato cherry
        salty      egg cake cookie sandwich walnut
        bitter     leaf orange lemon walnut cabbage cookie
        spicy      chilli sandwich cookie cabbage egg
        sweet      cake cookie pear orange apple cherry
        hard       carrot cookie cake walnut cabbage pear
        """,
    ),
    (
        "thing",
        "lift push pull carry throw",
        """
        heavy      any
        slippery   any
        sticky     any
        """,
    ),
    (
        "thing",
        "buy",
        """
        expensive  any
        """,
    ),
)
# More nouns that a quality suits, though it is no reason not to cross them.
_ALSO = """
    wide       bridge
    long       street road bridge
    narrow     street road bridge
    """

# Why somebody does something: the doer is ...
_CAUSES = """
    sleep      tired sleepy sick lazy
    cry        sad tired hungry thirsty scared sick worried
    laugh      happy
    sing       happy
    dance      happy
    jump       happy
    run        scared angry nervous
    wait       shy nervous
    tremble    scared nervous sick
    eat        hungry
    steal      hungry
    hide       nervous scared shy
    """
# ... or what it is done to is.
_OBJECT_CAUSES = """
    eat        food     sweet fresh
    taste      food     strange
    buy        clothes  pretty beautiful
    steal      thing    expensive beautiful
    visit      site     famous beautiful
    """

# What somebody is: for any subject, or as he or she is.
ROLES = {
    "": ("student", "teacher", "doctor", "singer", "dancer", "farmer"),
    "he": ("king", "prince", "wizard"),
    "she": ("queen", "princess", "witch"),
}
# What a noun is that is no trade: French says *c'est un chien* with *he*.
CLASSES = {
    "he": ("boy", "man", "giant"),
    "she": ("girl", "woman", "fairy"),
}

_PRONOUNS = """
    i     me    my     one
    you   you   your   one
    he    him   his    one
    she   her   her    one
    it    it    its    one
    we    us    our    many
    they  them  their  many
    """

# What is done with which tool to which objects (or kinds of object).
_TOOLS = """
    open       key,knife            box,bag
    peel       knife                apple,pear,carrot
    break      hammer               egg,walnut,mirror,bottle
    draw       pencil,brush,feather animal,human,place,food,thing
    paint      brush                furniture
    clean      sponge               thing,furniture
    catch      net                  animal
    sweep      broom                kitchen,house,room,school,library
    """

_ADVERBS = """
    slowly     dance swim run work
    quickly    swim run work
    quietly    sleep dance swim cry wait work play
    happily    sing dance jump swim laugh run work play
    """

TIMES = {
    "past": ("yesterday",),
    "present": ("today", "sometimes"),
    "future": ("tomorrow", "soon"),
}
PREPOSITIONS = {
    "site": ("in", "in", "behind", "near", "in_front_of", "next_to"),
    "furniture": ("under", "on", "behind", "near", "next_to"),
}
NUMBERS = ("two", "three", "four")
DENIED = ("soon", "sometimes")  # times that *not* turns into something else
DEGREES = ("too", "very")


def _noun(kind, columns):
    plural, *rest = columns
    pronouns = [word for word in rest if word[0] != "-"]
    barred = tuple(word[1:] for word in rest if word[0] == "-")
    pronoun = (*pronouns, "it")[0].replace("?", "")
    return Noun(plural, kind, pronoun, barred)


def _split(text):
    return tuple(text.split(","))


def _words(*columns):
    return columns


NOUNS = {
    singular: _noun(kind, columns)
    for kind, text in _NOUNS.items()
    for singular, *columns in read_rows(text)
}
KINDS = {
    kind: tuple(noun for noun in NOUNS if NOUNS[noun].kind == kind)
    for kind in _NOUNS
}
CLOSED = {  # those whose pronoun English knows
    kind: tuple(noun for noun in nouns if NOUNS[noun].pronoun)
    for kind, nouns in KINDS.items()
}
OWNED = ("mother", "father", "grandmother", "grandfather", "friend")
OWNED += ("teacher", "doctor", "student")  # humans who can be mine
VERBS = read_table(
    _VERBS, lambda third, past, *kinds: Verb(third, past, kinds)
)
TAKING = tuple(verb for verb in VERBS if VERBS[verb].kinds != ("-",))
ADJECTIVES = read_table(_ADJECTIVES, lambda group, *kinds: (group, kinds))
COMPARED = read_table(_COMPARED, lambda comparative: comparative)
PRONOUNS = read_table(
    _PRONOUNS,
    lambda object, owner, many: Person(object, owner, many == "many"),
)
DOER_QUALITIES = read_table(_DOER_QUALITIES, _words)
OBJECT_QUALITIES = {
    quality: (
        kind,
        tuple(verbs.split()),
        KINDS[kind] if nouns == ["any"] else tuple(nouns),
    )
    for kind, verbs, text in _OBJECT_QUALITIES
    for quality, *nouns in read_rows(text)
}
_also = read_table(_ALSO, _words)
TRAITS = {
    quality: nouns + _also.get(quality, ())
    for quality, (_, _, nouns) in OBJECT_QUALITIES.items()
}
CAUSES = read_table(_CAUSES, _words)
OBJECT_CAUSES = read_table(_OBJECT_CAUSES, lambda kind, *words: (kind, words))
TOOLS = read_table(
    _TOOLS,
    lambda tools, objects: (
        _split(tools),
        tuple(
            noun
            for word in _split(objects)
            for noun in KINDS.get(word, (word,))
        ),
    ),
)
ADVERBS = read_table(_ADVERBS, _words)
QUALITIES_OF = {
    kind: tuple(q for q, entry in OBJECT_QUALITIES.items() if entry[0] == kind)
    for kind in ("place", "food", "thing")
}
# What a doer may fail to do with an object of a kind, each verb once.
REASON_VERBS = {
    kind: tuple(
        dict.fromkeys(
            verb
            for of, verbs, _ in _OBJECT_QUALITIES
            if of == kind
            for verb in verbs.split()
        )
    )
    for kind in ("place", "food", "thing")
}
