"""Words that deny each other: where a claim says one and its passage the other, the claim is turned round."""

from __future__ import annotations

_PAIRS = """
before | after
earlier | later
prior | subsequent
until | after
increase increases increased increasing | decrease decreases decreased decreasing decline declines declined fall falls fell
rise rises rose risen grow grows grew grown | fall falls fell fallen decline declines declined shrink shrank sink sank
raise raises raised raising | lower lowers lowered lowering reduce reduces reduced reducing cut
more | less fewer
most | least fewest
at least | at most
minimum | maximum
above over | below under
higher | lower
highest | lowest
larger bigger greater | smaller
largest biggest | smallest
longer | shorter
longest | shortest
faster | slower
older | younger
oldest | youngest
better | worse
best | worst
stronger | weaker
early | late
first | last
start starts started begin begins began | end ends ended stop stops stopped
open opens opened | close closes closed shut
allow allows allowed permit permits permitted | forbid forbids forbidden prohibit prohibits prohibited ban bans banned
include includes included including | exclude excludes excluded excluding
accept accepts accepted | reject rejects rejected refuse refuses refused decline declines declined
approve approves approved | reject rejects rejected disapprove disapproved
agree agrees agreed | disagree disagrees disagreed
enable enables enabled | disable disables disabled
add adds added | remove removes removed
buy buys bought | sell sells sold
lend lends lent | borrow borrows borrowed
import imports imported | export exports exported
win wins won | lose loses lost
gain gains gained | lose loses lost
profit | loss
succeed succeeds succeeded success | fail fails failed failure
appoint appointed hire hired | dismiss dismissed fire fired
guilty | innocent
legal lawful | illegal unlawful
valid | invalid
true | false
mandatory compulsory required | optional voluntary
included | excluded
internal | external
inside indoors | outside outdoors
public | private
full-time | part-time
permanent | temporary
paid | unpaid
with | without
same | different
possible | impossible
able | unable
eligible | ineligible
like likes liked | dislike disliked
love loves loved | hate hates hated
north northern | south southern
east eastern | west western
left | right
up upward upwards | down downward downwards
top | bottom
upper | lower
front | back rear
hot warm hotter warmer warming | cold cool colder cooler cooling
wet | dry
light | dark
day | night
morning | evening
male man men boy | female woman women girl
father | mother
son | daughter
brother | sister
husband | wife
king | queen
parent parents | child children
employer | employee employees
landlord | tenant tenants
buyer | seller
plaintiff | defendant
lender | borrower
rich | poor
alive | dead
born | died
married | divorced
old | new
domestic | foreign
positive | negative
always | never
all every | none
everyone everybody | nobody
always | sometimes rarely
cause causes caused | prevent prevents prevented
support supports supported | oppose opposes opposed
"""


def _sides(line: str) -> tuple[frozenset[str], frozenset[str]]:
    """The two sides of a line; a phrase of two words stands alone on its side."""
    first, second = (side.strip() for side in line.split("|"))
    phrases = {"at least", "at most"}
    return tuple(frozenset([side]) if side in phrases else frozenset(side.split()) for side in (first, second))  # pyright: ignore[reportReturnType]


OPPOSITES: tuple[tuple[frozenset[str], frozenset[str]], ...] = tuple(_sides(line) for line in _PAIRS.strip().splitlines())
"""Pairs of sets of word forms, in small letters; a word of one denies the words of the other."""
