"""Words of English text as the extractive generator compares them: tokens, stems, numbers, and small lists of general English."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache

import regex
import Stemmer

_TOKEN = regex.compile(r"[\p{L}\p{M}\p{N}]+(?:[-'’.,/][\p{L}\p{M}\p{N}]+)*")
_PIECE = regex.compile(r"[\p{L}\p{M}]+(?:['’][\p{L}\p{M}]+)?|\p{N}+(?:[.,]\p{N}+)*")
_LATIN = regex.compile(r"\p{Latin}")

_FUNCTION = """
a about above after again against all also am an and any anyone anybody anything are as at be because been before being below between both
but by can could did do does doing done down during each either else ever every everyone few for from further had has have having he her
here hers herself him himself his how however i if in into is it its itself just let like many may me might mine more most much must my
myself neither no nor not now of off on once one ones only or other our ours ourselves out over own per please same shall she should so some
somebody someone something still such than that the their theirs them themselves then there these they this those though through thus to too
under until up upon us very was we were what whatever when whenever where whether which while who whoever whom whose why will with within
without would yes yet you your yours yourself yourselves isn't aren't don't doesn't didn't can't cannot won't wasn't weren't shouldn't i'm
i've i'd you're it's there's what's who's that's whats hasn't haven't although though whereas despite etc vs via according regarding
concerning versus eg ie
"""
FUNCTION_WORDS = frozenset(_FUNCTION.split())
"""Words that carry no subject."""

_LIGHT = """
tell explain describe say says said mean means meaning define definition know give given gives list name named call called happen happens
happened need needs want wants get gets getting got take takes taken taking make makes made making use uses used using go goes going have
come comes put set keep keeps kept provide provided provides apply applies involve involved include includes included including kind kinds
type types sort way ways thing things case cases part parts long far often soon quickly fast ahead bring brings let lets turn turns try look
looks seem seems today today's nowadays currently present exactly general generally amount level different difference differences compare
comparison differ person people someone document documents text possible able allow allowed old new first much number numbers state stated
states detail details information info question answer follow following consider considered become became come came show shown shows work
works does time times
"""
LIGHT_WORDS = frozenset(_LIGHT.split())
"""Words that questions are made with; they say little about the subject."""

_UNITS = "zero - two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen"
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_NUMBER_WORDS = (
    {word: str(value) for value, word in enumerate(_UNITS.split()) if word != "-"}
    | {word: str(value) for value, word in zip(range(20, 100, 10), _TENS.split(), strict=True)}
    | {"hundred": "100", "dozen": "12"}
)
"""`one` is left out: it is a pronoun as often as a number."""
NUMBER_WORD = rf"(?:{'|'.join(_NUMBER_WORDS)})"
"""Pattern of the numbers that are written as words."""

_GROUPS = """
cost costs price fee fees charge charges tariff rate pay payment paid pays paying payable
punishment penalty penalties sanction punished punishable punish imprisonment sentence fine fined liable
start begin begins began begun commence commencement beginning starting
end ends expire expires expiry finish close terminate termination
buy bought purchase purchased acquire
cancel cancellation terminate termination revoke withdraw
allow allowed permit permitted permission may authorise authorised
forbid forbidden prohibit prohibited ban banned
steal stole stolen theft thief steals stealing
doctor physician clinician gp
car vehicle automobile
holiday vacation
employee employees staff worker workers personnel
job employment position post
lose lost loss losing loses
break broke broken damage damaged
die died dead death dies deceased
apply application applicant
child children kid kids minor minors
borrow borrowed loan loans lend lent
rent rental lease let
landlord lessor owner
tenant lessee renter occupant
repair repairs fix mend maintenance
send sent submit submission file
tell told inform notify notice notification
choose chose chosen choice select
decide decision decided
help assist assistance support aid
big large size
small little
illness sick ill disease sickness
teach taught teacher teaching
win won winner victory
lead led leader
write wrote written author writer
build built building construction construct constructed
found founded founder establish established foundation
speak spoke spoken speech
sell sold sale selling
live lived residence reside resident
grow grew growth grown
hold held holder holding
meet met meeting
pick collect collection
remove removal delete deleted erase
change changed modify modification amend amendment alter
phone telephone call mobile
mail email e-mail
quit resign resignation
hurt injure injury injured harm
kill killed killing murder
money cash
maximum limit most max
minimum least min
deadline due
payable due owed
member members membership join joined
return returned back
open opening opens
create created creation
renew renewal extend extension
reset restore
password passcode
bike bicycle
film movie
pupil student
test exam examination
breach violation violate contravention contravene
late overdue belated
obligation must required requirement require
reply respond response answer answered
prison jail imprisonment custody
law statute legislation
fly flight air
baby birth newborn infant maternity parental
message text texting contact contacting write
visit visitor guest
receipt invoice bill
laptop computer notebook pc
wait waiting
store stored kept retain retained storage
ordinary normal usual regular standard
wrong incorrect false invalid
salary wage pay earnings earn
spouse husband wife partner married marriage marry
house home dwelling residence
shop store
street road
finish complete completed completion
hire engage employ recruit recruitment
dismiss dismissal fire fired sack
boss manager supervisor superior
eat eating food meal
login logon sign-in sign
insurance insured coverage cover
crime offence offense
hit strike struck assault
trick cheat cheating deceive deceit fraud
threaten threat threatening intimidate intimidation
rule rules regulation provision
chemist pharmacist pharmacy
jab vaccine vaccination shot
pregnant pregnancy expecting
hinder obstruct obstruction impede
unhappy dissatisfied complaint complain
attend attendance present
cheap inexpensive
repaint paint painted
barbecue barbecues grill grilling
piano instrument musical
lock locked confine confined confinement
abroad export exported foreign overseas
weekly week
yearly year annual annually
monthly month
daily day
buyer customer client
seller vendor
free complimentary gratis
job task
assess assessment evaluate
choose opt
fast quick speed
"""
_IRREGULAR = """
see saw seen
know knew known
think thought
run ran
fall fell fallen
rise rose risen
eat ate eaten
drink drank
drive drove driven driver
draw drew drawn
bring brought
catch caught
fight fought
spend spent
feel felt
hear heard
leave left
lie lay
ride rode
shoot shot
sing sang sung
sink sank
sit sat
stand stood
swim swam
throw threw thrown
wear wore worn
bear bore born birth
bind bound
bleed bled
freeze froze frozen
give gave given
hide hid hidden
man men
woman women
foot feet
tooth teeth
mouse mice
analysis analyses
criterion criteria
datum data
person people persons
"""

_stemmer = Stemmer.Stemmer("english")


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """English Snowball stem of a word, British and American spelling made one; words of other scripts are only case-folded.

    >>> stem("Cancellations"), stem("organisation") == stem("organization")
    ('cancel', True)
    """
    word = word.casefold().replace("’", "'")
    if word.endswith("'s"):
        word = word[:-2]
    if not _LATIN.search(word):
        return word
    word = regex.sub(r"is(?=(?:e[drs]?|ing|ations?)$)", "iz", word) if len(word) > 5 else word
    word = regex.sub(r"our(?=(?:s|ed|ing|able)?$)", "or", word) if len(word) > 5 else word
    return _stemmer.stemWord(word)


def _groups() -> dict[str, frozenset[int]]:
    lines = [line for block in (_GROUPS, _IRREGULAR) for line in block.splitlines() if line.strip()]
    groups: dict[str, set[int]] = {}
    for number, line in enumerate(lines):
        for word in line.split():
            groups.setdefault(stem(word), set()).add(number)
    return {key: frozenset(value) for key, value in groups.items()}


_GROUP_OF = _groups()


def groups_of(stemmed: str) -> frozenset[int]:
    """Numbers of the synonym groups (ordinary English verbs and nouns, irregular forms) that a stem belongs to."""
    return _GROUP_OF.get(stemmed, frozenset())


def number_of(word: str) -> str | None:
    """A number in one spelling, or None: `1,000` and `1000`, `five` and `5` are the same.

    >>> number_of("1,000"), number_of("Five"), number_of("x")
    ('1000', '5', None)
    """
    low = word.casefold()
    if low in _NUMBER_WORDS:
        return _NUMBER_WORDS[low]
    if not regex.fullmatch(r"\p{Nd}+(?:[.,]\p{Nd}+)*", word):
        return None
    digits = "".join(str(int(c)) if c.isdigit() else c for c in word)
    if regex.fullmatch(r"\d{1,3}(?:,\d{2,3})+(?:\.\d+)?", digits):
        digits = digits.replace(",", "")
    digits = digits.replace(",", ".")
    return regex.sub(r"\.0+$", "", digits)


@dataclass(frozen=True)
class Word:
    """A word of a text: as written, its stem, its place, and its number where it is one."""

    text: str
    stem: str
    start: int
    end: int
    number: str | None = None


@lru_cache(maxsize=4096)
def words(text: str) -> tuple[Word, ...]:
    """The words of a text in order; compounds with hyphens and full stops come apart ("45-day" is 45 and day)."""
    found = []
    for match in _PIECE.finditer(text):
        piece = match.group()
        found.append(Word(piece, stem(piece), match.start(), match.end(), number_of(piece)))
    return tuple(found)


def compact(code: str) -> str:
    """A code without case, spaces and punctuation: `XR-17b` and `xr 17B` are the same."""
    return "".join(c for c in code.casefold() if c.isalnum())


@lru_cache(maxsize=4096)
def codes(text: str) -> frozenset[str]:
    """Every token with a digit and a letter in it, compact, and every two neighbours that form one ("XR 17B")."""
    found: set[str] = set()
    last: tuple[str, int] | None = None
    for match in _TOKEN.finditer(text):
        token = compact(match.group())
        has_digit = any(c.isdigit() for c in token)
        if has_digit and any(c.isalpha() for c in token):
            found.add(token)
            found |= {
                piece
                for piece in regex.split(r"[-'’.,/]", match.group().casefold())
                if regex.search(r"\p{N}", piece) and regex.search(r"\p{L}", piece)
            }
        if last is not None and has_digit and last[0].isalpha() and match.start() - last[1] == 1:
            found.add(last[0] + token)
        last = (token, match.end())
    return frozenset(found)


JOINING = frozenset({"of", "the", "and", "for", "in", "on", "to", "&"})
"""Small words that a name written out has inside and its acronym leaves out."""


def initials_of(text: str) -> set[str]:
    """Initials of each run of two or more capitalised words, small joining words between them passed over.

    >>> sorted(initials_of("The Code of Civil Procedure, and the Bharatiya Nagarik Suraksha Sanhita, 2023"))
    ['bnss', 'tccp']
    """
    found: set[str] = set()
    run, end = "", 0
    for word in words(text):
        small = not word.text[0].isupper()
        if text[end : word.start].strip(" \t") or (small and word.text.casefold() not in JOINING):
            found.add(run)
            run = ""
        if not small:
            run += word.text[0].casefold()
        end = word.end
    return {one for one in (*found, run) if len(one) >= 2}


@dataclass
class Bag:
    """What a text offers for matching."""

    stems: set[str] = field(default_factory=set)
    numbers: set[str] = field(default_factory=set)
    codes: set[str] = field(default_factory=set)
    groups: set[int] = field(default_factory=set)
    initials: set[str] = field(default_factory=set)
    """First letters of each run of capitalised words."""

    @classmethod
    def of(cls, *texts: str) -> Bag:
        """The bag of some texts together."""
        bag = cls()
        for text in texts:
            for word in words(text):
                bag.stems.add(word.stem)
                if word.number is not None:
                    bag.numbers.add(word.number)
                bag.groups |= groups_of(word.stem)
            bag.codes |= codes(text)
            bag.initials |= initials_of(text)
        return bag

    def __or__(self, other: Bag) -> Bag:
        return Bag(
            self.stems | other.stems,
            self.numbers | other.numbers,
            self.codes | other.codes,
            self.groups | other.groups,
            self.initials | other.initials,
        )


def is_acronym(word: str) -> bool:
    """Whether a word is written as an acronym: 2 to 8 letters, all capital (`BNS`, `VAT`)."""
    return 2 <= len(word) <= 8 and word.isalpha() and word.isupper()
