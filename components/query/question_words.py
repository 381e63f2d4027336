"""Words of English questions by what they do in one. For rules that must run without a parser."""

from __future__ import annotations


def words(listed: str) -> frozenset[str]:
    """The words of a text, as a set."""
    return frozenset(listed.split())


WH = words("what which who whom whose when where why how")
AUX = words(
    """
    is are was were be been being am do does did has have had can could may might must shall should will would isn't aren't wasn't weren't don't
    doesn't didn't hasn't haven't can't cannot couldn't won't wouldn't shouldn't mustn't what's who's where's how's when's that's it's there's
    i'm
    """
)
SUBJECTS = words("i you we he she it they one")
PRONOUNS = words(
    """
    i you we he she it they me him her us them my your our his its their hers theirs mine yours this that these those myself yourself himself
    herself itself themselves ourselves someone anyone everyone somebody anybody everybody something anything nothing everything nobody one ones
    there here
    """
)
OWNERS = words("my your our his its their her")
DETERMINERS = words("the a an any some every each no all both another other most more many much few several")
PREPOSITIONS = words(
    """
    of in on at for to from by with without under over above below after before during within between into onto about against per as than since
    until till via near outside inside through beyond across regarding concerning despite except along among upon towards toward off up out down
    """
)
CONJUNCTIONS = words("and or but nor if when while because whether although though unless so then whereas once")
ADVERBS = words(
    """
    not also only still too very long often soon far early late yet ever always never again already even just exactly actually really instead
    else otherwise else's fast quickly usually generally currently now today tomorrow abroad twice please maybe perhaps different same less
    least enough together apart away back however therefore old big heavy high tall large wide quick such responsible eligible available liable
    valid due open closed mandatory voluntary taxable refundable transferable free subject similar possible necessary optional compulsory
    binding legal illegal ready able better worse higher lower longer shorter cheaper faster
    """
)
VERBS = words(
    """
    accept achieve agree allow announce answer appear appeal apply approve ask assess avoid become begin belong book borrow break bring buy
    calculate call cancel carry cause cease choose collect come compare complete comply concern confirm consider contain continue count cover
    create decide declare define delete deliver deny depend describe determine differ disclose dismiss do earn end enforce enter establish
    exceed exist expire explain extend fail file find finish follow forbid forget get give go grant handle happen help hire hold include
    increase inform install invite involve issue keep know last lead learn leave lend live log look lose make mean meet mention modify move must
    need notify obtain occur offer open order own participate pass pay permit place post prescribe prevent print proceed process produce
    prohibit prove provide publish punish put qualify reach read receive record recover reduce refer refund refuse register regulate reimburse
    reject release rely remain remove renew rent repair repeat replace reply report request require reset resign resolve respond restart resume
    return review revoke rise run say see sell send serve set ship show sign speak specify spend stand start state stay stop submit suspend take
    tell terminate think transfer translate travel treat try turn update upload use validate verify visit wait want waive withdraw work write
    authorise authorize recognise recognize organise organize receive reschedule return insure subscribe unsubscribe enrol enroll communicate
    appoint elect vote resolve dispute complain escalate contact reach assign delegate protect store retain encrypt share restrict hear close
    break leave fall teach win grow check pick drop reopen exempt entitle commit convict prosecute arrest sentence fine amend repeal replace
    supersede abolish commence
    """
)
NOUN_TOO = words(
    """
    appeal book break call cause cover end file fine finish hire hold issue look move need offer order permit place post print process record
    refund release rent repair reply report request reset return review rise run say set ship show sign stand start state stay stop transfer
    travel turn update use visit vote wait work dispute contact share sentence increase help last cost claim leave charge notice limit change
    lead count mention answer grant travel
    """
)
"""Verbs that are as often nouns: verbs only where a subject stands before them, or `to`."""
IRREGULAR = {
    "paid": "pay", "made": "make", "gave": "give", "given": "give", "got": "get", "kept": "keep", "lost": "lose", "left": "leave", "sent": "send",
    "sold": "sell", "told": "tell", "took": "take", "taken": "take", "went": "go", "gone": "go", "wrote": "write", "written": "write",
    "came": "come", "became": "become", "began": "begin", "begun": "begin", "broke": "break", "broken": "break", "brought": "bring",
    "bought": "buy", "chose": "choose", "chosen": "choose", "found": "find", "held": "hold", "knew": "know", "known": "know", "meant": "mean",
    "met": "meet", "ran": "run", "rose": "rise", "risen": "rise", "said": "say", "saw": "see", "seen": "see", "shown": "show", "spent": "spend",
    "stood": "stand", "forbidden": "forbid", "forgotten": "forget", "withdrawn": "withdraw", "permitted": "permit", "permits": "permit",
    "cancelled": "cancel", "transferred": "transfer", "referred": "refer", "submitted": "submit", "committed": "commit", "dies": "die",
}  # fmt: skip
PERSONS = words(
    """
    employee worker tenant landlord visitor guest customer client manager officer staff people person child children kid adult student pupil
    nurse doctor physician intern contractor member head director chief president chair chairman chairwoman chairperson secretary minister judge
    lawyer attorney accused defendant plaintiff witness victim offender buyer seller purchaser supplier vendor user owner lender borrower
    engineer developer teacher professor parent mother father spouse wife husband partner woman women man men boy girl citizen resident refugee
    passenger driver pilot pedestrian cyclist patient applicant candidate trainee apprentice freelancer consultant auditor inspector supervisor
    boss colleague team crew shareholder trustee executor heir author editor reader licensee licensor insurer insured donor voter holder holders
    pensioner senior minor volunteer founder ceo cfo cto agent broker trader
    """
)
NO_PERSONS = words("committee coffee degree guarantee checklist agree consist")
RELATIONAL = words(
    """
    deadline limit fee cost costs price penalty fine exception exceptions procedure process form amount maximum minimum reason reasons condition
    conditions requirement requirements consequence consequences duration period rate threshold cap ceiling purpose scope difference differences
    advantage advantages disadvantage disadvantages alternative alternatives example examples exemption exemptions criterion criteria step steps
    sanction sanctions formula basis
    """
)
"""Nouns that name nothing without what they are of: "What is the deadline?" asks for the deadline of something."""
ATTRIBUTES = words(
    """
    deposit price rent charge salary wage bonus discount surcharge tax interest value size length width height depth weight speed capacity volume
    area distance temperature colour color age name address telephone phone email number date time rule policy term right duty benefit warranty
    guarantee insurance opening budget balance location status result deductible allowance premium tariff notice
    """
)
"""Nouns, in the singular, that are asked for of something ("and the deposit?") besides those that name nothing without it."""
MODIFIERS = words(
    """
    maximum minimum exact usual current new total late legal standard normal main overall replacement cancellation extension renewal application
    processing submission filing waiting
    """
)
MEASURES = words(
    """
    day days week weeks month months year years hour hours minute minutes number amount kind kinds sort sorts type types list part parts
    """
)
SETTINGS = words("in on at under for during within after before near outside inside since until above below over")
"""Prepositions that set a place, a time or a case."""
SAID_OF_NOTHING = words(
    """
    allowed possible permitted legal necessary required mandatory ok okay compulsory forbidden illegal true safe important better worth
    customary obligatory right wrong acceptable prohibited lawful unlawful common sufficient impossible unnecessary correct advisable
    """
)
"""After "is it", before "to" or "that": the "it" stands for nothing."""
HERE = words(
    """
    year month week quarter day morning evening company organisation organization website site handbook page country department
    """
)
"""After "this": the asker's own, not something said before."""


def verb_of(word: str) -> str | None:
    """The verb a word is a form of, if it is in the list.

    >>> verb_of("expires"), verb_of("applied"), verb_of("paid"), verb_of("towel")
    ('expire', 'apply', 'pay', None)
    """
    word = word.casefold()
    found = IRREGULAR.get(word)
    if found:
        return found
    stems = [word]
    for ending, put in (("ies", "y"), ("ied", "y"), ("es", ""), ("s", ""), ("ed", ""), ("d", ""), ("ing", ""), ("ing", "e")):
        if word.endswith(ending) and len(word) > len(ending) + 1:
            stems.append(word[: -len(ending)] + put)
    return next((stem for stem in stems if stem in VERBS), None)


def is_plural(word: str) -> bool:
    """Whether a noun reads as a plural.

    >>> is_plural("refunds"), is_plural("people"), is_plural("address"), is_plural("DVDs")
    (True, True, False, True)
    """
    word = word.casefold()
    return word in {"people", "children", "men", "women", "staff", "criteria", "police"} or (
        len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is", "ics", "'s"))
    )


def is_person(word: str) -> bool:
    """Whether a noun names a person or people.

    >>> is_person("tenants"), is_person("children"), is_person("order"), is_person("interviewee"), is_person("fee")
    (True, True, False, True, False)
    """
    word = word.casefold()
    for one in (word, word.removesuffix("s"), word.removesuffix("es")):
        if one in PERSONS:
            return True
        if one.endswith(("ee", "ist")) and len(one) > 5 and one not in NO_PERSONS:
            return True
    return False
