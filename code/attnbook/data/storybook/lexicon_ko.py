"""The Korean words, one entry per line, each beside its English word.

Verbs and adjectives are given in three principal parts from which `hangul`
makes all others: the dictionary form, the form in -서 that gives a reason
or an earlier step, and the form that precedes a noun.
"""

from typing import NamedTuple

from attnbook.data.storybook.tables import read_table


class Noun(NamedTuple):
    """A noun and the word with which it is counted."""

    word: str
    counter: str


class Stem(NamedTuple):
    """The principal parts of a verb or adjective."""

    dictionary: str
    linking: str
    attributive: str
    kind: str = "verb"  # or "quality", or "state": *is angry* is a past form


_NOUNS = """
    animal      동물      마리
    cat         고양이    마리
    dog         개        마리
    horse       말        마리
    cow         소        마리
    mouse       쥐        마리
    hen         암탉      마리
    turtle      거북이    마리
    bird        새        마리
    donkey      당나귀    마리
    frog        개구리    마리
    fox         여우      마리
    spider      거미      마리
    bee         벌        마리
    wolf        늑대      마리
    bear        곰        마리
    rabbit      토끼      마리
    snail       달팽이    마리
    giraffe     기린      마리
    monkey      원숭이    마리
    elephant    코끼리    마리
    hedgehog    고슴도치  마리
    owl         부엉이    마리
    lion        사자      마리
    squirrel    다람쥐    마리

    girl        소녀      명
    boy         소년      명
    woman       여자      명
    man         남자      명
    queen       여왕      명
    king        왕        명
    princess    공주      명
    prince      왕자      명
    witch       마녀      명
    wizard      마법사    명
    grandmother 할머니    분
    grandfather 할아버지  분
    mother      어머니    분
    father      아버지    분
    fairy       요정      명
    giant       거인      명
    student     학생      명
    teacher     선생님    분
    doctor      의사      명
    singer      가수      명
    dancer      무용수    명
    farmer      농부      명
    friend      친구      명
    child       아이      명

    street      길        개
    road        도로      개
    river       강        개
    bridge      다리      개
    meadow      풀밭      개
    desert      사막      개
    forest      숲        개
    valley      골짜기    개
    stream      개울      개
    tunnel      터널      개
    swamp       늪        개
    island      섬        개
    hill        언덕      개

    garden      정원      곳
    kitchen     부엌      개
    house       집        채
    park        공원      곳
    school      학교      곳
    room        방        개
    hotel       호텔      곳
    castle      성        곳
    library     도서관    곳
    cave        동굴      곳
    tree        나무      그루

    apple       사과      개
    carrot      당근      개
    cake        케이크    개
    leaf        나뭇잎    장
    pear        배        개
    egg         달걀      개
    orange      오렌지    개
    lemon       레몬      개
    tomato      토마토    개
    cherry      체리      개
    cookie      쿠키      개
    sandwich    샌드위치  개
    walnut      호두      개
    cabbage     양배추    통
    chilli      고추      개

    box         상자      개
    stone       돌        개
    bag         가방      개
    bottle      병        개
    basket      바구니    개
    book        책        권
    bucket      양동이    개
    ladder      사다리    개
    umbrella    우산      개
    letter      편지      통
    flower      꽃        송이
    picture     그림      점
    piano       피아노    대
    clock       시계      개
    axe         도끼      자루
    jewel       보석      개
    mirror      거울      개
    rug         양탄자    장
    newspaper   신문      부

    table       탁자      개
    chair       의자      개
    bed         침대      개

    hat         모자      개
    coat        외투      벌
    ring        반지      개
    scarf       목도리    개
    crown       왕관      개
    dress       드레스    벌
    belt        허리띠    개

    key         열쇠      개
    knife       칼        자루
    hammer      망치      개
    brush       붓        자루
    pencil      연필      자루
    feather     깃털      개
    sponge      스펀지    개
    net         그물      개
    broom       빗자루    자루
    """

_VERBS = """
    cross    건너다      건너서      건넌
    explore  탐험하다    탐험해서    탐험한
    visit    방문하다    방문해서    방문한
    guard    지키다      지켜서      지킨
    avoid    피하다      피해서      피한

    eat      먹다        먹어서      먹은
    taste    맛보다      맛보아서    맛본
    swallow  삼키다      삼켜서      삼킨
    chew     씹다        씹어서      씹은
    bake     굽다        구워서      구운
    wash     씻다        씻어서      씻은

    lift     들다        들어서      든
    push     밀다        밀어서      민
    pull     당기다      당겨서      당긴
    carry    옮기다      옮겨서      옮긴
    throw    던지다      던져서      던진
    clean    닦다        닦아서      닦은
    paint    칠하다      칠해서      칠한

    find     찾아내다    찾아내서    찾아낸
    buy      사다        사서        산
    steal    훔치다      훔쳐서      훔친
    hide     숨기다      숨겨서      숨긴
    sell     팔다        팔아서      판
    draw     그리다      그려서      그린

    see      보다        보아서      본
    follow   따라가다    따라가서    따라간
    chase    쫓다        쫓아서      쫓은
    help     돕다        도와서      도운
    love     사랑하다    사랑해서    사랑한
    meet     만나다      만나서      만난
    call     부르다      불러서      부른
    bite     물다        물어서      문
    catch    잡다        잡아서      잡은
    protect  보호하다    보호해서    보호한
    fear     무서워하다  무서워해서  무서워한

    give     주다        주어서      준
    show     보여주다    보여주어서  보여준
    lend     빌려주다    빌려주어서  빌려준
    bring    가져다주다  가져다주어서 가져다준
    send     보내다      보내서      보낸

    sleep    자다        자서        잔
    sing     노래하다    노래해서    노래한
    dance    춤추다      춤추어서    춤춘
    jump     뛰어오르다  뛰어올라서  뛰어오른
    swim     헤엄치다    헤엄쳐서    헤엄친
    laugh    웃다        웃어서      웃은
    cry      울다        울어서      운
    run      달리다      달려서      달린
    wait     기다리다    기다려서    기다린
    work     일하다      일해서      일한
    play     놀다        놀아서      논
    tremble  떨다        떨어서      떤

    open     열다        열어서      연
    peel     깎다        깎아서      깎은
    break    깨다        깨서        깬
    sweep    쓸다        쓸어서      쓴
    like     좋아하다    좋아해서    좋아한
    go       가다        가서        간
    """

# What a predicate ends in: *not*, *cannot*, *is there*, *want*.
_AUXILIARIES = """
    do_not   않다        않아서      않은      verb
    is_not   않다        않아서      않은      quality
    fail     못하다      못해서      못한      verb
    there_is 있다        있어서      있은      quality
    there_is_not 없다    없어서      없은      quality
    wants    하다        해서        한        verb
    i_want   싶다        싶어서      싶은      quality
    be_not   아니다      아니어서    아닌      quality
    become   되다        되어서      된        verb
    """
# What is not done for want of success, not of will: *did not see*.
FAILING = ("see", "find")

# How a piece of clothing is put on.
_WEARING = """
    hat      쓰다
    coat     입다
    ring     끼다
    scarf    두르다
    crown    쓰다
    dress    입다
    belt     매다
    """

# A colon gives the form for one kind of noun only.
_ADJECTIVES = """
    small       작다          작아서        작은
    small:grandmother 자그마하다 자그마해서 자그마한
    small:grandfather 자그마하다 자그마해서 자그마한
    big         크다          커서          큰
    old         오래되다      오래되어서    오래된   state
    old:animal  늙다          늙어서        늙은   state
    old:human   늙다          늙어서        늙은   state
    old:pronoun 늙다          늙어서        늙은   state
    old:clothes 낡다          낡아서        낡은   state
    old:furniture 낡다        낡아서        낡은   state
    young       젊다          젊어서        젊은
    young:animal 어리다       어려서        어린
    new         새롭다        새로워서      새
    pretty      예쁘다        예뻐서        예쁜
    beautiful   아름답다      아름다워서    아름다운
    strange     이상하다      이상해서      이상한
    clever      똑똑하다      똑똑해서      똑똑한
    brave       용감하다      용감해서      용감한
    strong      강하다        강해서        강한
    fast        빠르다        빨라서        빠른
    slow        느리다        느려서        느린
    kind        친절하다      친절해서      친절한
    famous      유명하다      유명해서      유명한
    quiet       조용하다      조용해서      조용한
    fresh       신선하다      신선해서      신선한
    black       검다          검어서        검은
    white       하얗다        하얘서        하얀
    grey        회색이다      회색이어서    회색
    red         빨갛다        빨개서        빨간
    yellow      노랗다        노래서        노란
    green       초록색이다    초록색이어서  초록색
    blue        파랗다        파래서        파란

    happy       행복하다      행복해서      행복한
    tired       피곤하다      피곤해서      피곤한
    hungry      배고프다      배고파서      배고픈
    thirsty     목마르다      목말라서      목마른
    sick        아프다        아파서        아픈
    sleepy      졸리다        졸려서        졸린
    lazy        게으르다      게을러서      게으른
    nervous     초조하다      초조해서      초조한
    shy         수줍다        수줍어서      수줍은
    scared      겁먹다        겁먹어서      겁먹은   state
    sad         슬프다        슬퍼서        슬픈
    angry       화나다        화나서        화난   state
    worried     불안하다      불안해서      불안한
    clumsy      서투르다      서툴러서      서투른

    wide        넓다          넓어서        넓은
    long        길다          길어서        긴
    dark        어둡다        어두워서      어두운
    narrow      좁다          좁아서        좁은
    deep        깊다          깊어서        깊은
    steep       가파르다      가팔라서      가파른
    crowded     붐비다        붐벼서        붐비는   verb
    sour        시다          시어서        신
    salty       짜다          짜서          짠
    bitter      쓰다          써서          쓴
    bitter:pronoun 씁쓸하다   씁쓸해서      씁쓸한
    spicy       맵다          매워서        매운
    sweet       달다          달아서        단
    sweet:pronoun 달콤하다    달콤해서      달콤한
    hard        딱딱하다      딱딱해서      딱딱한
    heavy       무겁다        무거워서      무거운
    slippery    미끄럽다      미끄러워서    미끄러운
    sticky      끈적끈적하다  끈적끈적해서  끈적끈적한
    expensive   비싸다        비싸서        비싼
    """

# Words that precede a noun, times, manners, and nouns of position ("-":
# the particle alone says it).
_OTHER = """
    this         이
    the          그
    my           내
    your         너의
    his          그의
    her          그녀의
    our          우리
    their        그들의
    two          두
    three        세
    four         네
    yesterday    어제
    today        오늘
    sometimes    가끔
    tomorrow     내일
    soon         곧
    slowly       천천히
    quickly      빨리
    quietly      조용히
    happily      즐겁게
    together     함께
    in           -
    behind       뒤
    near         근처
    in_front_of  앞
    next_to      옆
    under        밑
    on           위
    too          너무
    very         아주
    """

_PRONOUNS = """
    i     나
    you   너
    he    그
    she   그녀
    it    그것
    we    우리
    they  그들
    this  이것
    """

NOUNS = read_table(_NOUNS, Noun)
VERBS = read_table(_VERBS, Stem)
AUXILIARIES = read_table(_AUXILIARIES, Stem)
ADJECTIVES = read_table(
    _ADJECTIVES,
    lambda *parts: Stem(*parts[:3], (*parts[3:], "quality")[0]),
)


def _word(word):
    return word


WEARING = read_table(_WEARING, _word)
OTHER = read_table(_OTHER, _word)
PRONOUNS = read_table(_PRONOUNS, _word)
