"""Each exact check on what it must find missing and what it must not."""

import pytest

from components.validators.exact_checks import CHECKS, run_checks

MISSING = [
    ("numbers", "The fee is 30 euros.", "The fee is 20 euros.", "30 euros"),
    ("numbers", "It takes 30 days.", "It takes 30 weeks.", "30 days"),
    ("numbers", "It costs $1,500.", "It costs $15,000.", "1,500"),
    ("numbers", "It grew by 3.5 percent.", "It grew by 35 percent.", "3.5"),
    ("numbers", "It takes twenty-five days.", "It takes twenty-four days.", "twenty-five days"),
    ("dates", "It opened on 2 July 2024.", "It opened on 2024-07-01.", "2 July 2024"),
    ("dates", "It opened in July 2023.", "It opened on July 1, 2024.", "July 2023"),
    ("sections", "Theft is in section 303.", "103. Murder. Section 103 of the Act.", "303"),
    ("sections", "See clause 4.2(b).", "Clause 4.2(a) applies.", "4.2(b)"),
    ("codes", "Set ERR_404 first.", "ERR_405 is set.", "err_404"),
    ("codes", "The XR-17B is sold.", "The XR-17C is sold.", "xr-17b"),
    ("codes", "CO2 is stored here.", "Carbon monoxide is stored here.", "co2"),
    ("numbers", "It began in the mid-1970s.", "It began in the mid-1960s.", "1970"),
    ("names", "It was closed by Dr. Mehta in May.", "It was closed by Dr. Rao in May.", "Mehta"),
    ("names", "The rule of the IPC applies.", "The rule of the Bharatiya Nyaya Sanhita applies.", "IPC"),
    ("quotes", 'It says "pets are welcome".', "Pets are not welcome.", "pets are welcome"),
    ("negation", "Pets are not allowed in the garden.", "Pets are allowed in the garden.", "denies"),
    ("negation", "Lockers may be used overnight.", "Lockers must not be used overnight.", "affirms"),
    ("negation", "Children swim free on Sundays.", "Children swim free, except on Sundays.", "affirms"),
    ("opposites", "Apply before the hearing.", "Apply after the hearing.", "before"),
    ("opposites", "Prices increased in May.", "Prices fell in May.", "increased"),
    ("obligation", "Tenants must give notice.", "Tenants may give notice.", "must"),
    ("obligation", "Tenants may give notice.", "Tenants shall give notice.", "may"),
    ("scope", "All tenants keep a cat.", "Some tenants keep a cat.", "all"),
]
FOUND = [
    ("codes", "CO2 is stored here.", "Carbon dioxide is stored here."),
    ("names", "Here CO2 is stored.", "Carbon dioxide is stored here."),
    ("codes", "It began in the mid-1970s.", "It began around 1975, in the 1970s."),
    ("numbers", "It takes 1,000 days.", "It takes a thousand days."),
    ("numbers", "It costs Rs 1,00,000.", "It costs ₹100000."),
    ("numbers", "About 30 % agree.", "29.5 percent agree."),
    ("numbers", "2.5 million people came.", "2,500,000 people came."),
    ("numbers", "It was founded in 1912.", "It was founded on 3 May 1912."),
    ("numbers", "Two parties sign it.", "The landlord and the tenant sign it."),
    ("dates", "It opened in July 2024.", "It opened on 2024-07-01."),
    ("dates", "It opened on 1st of July, 2024.", "It opened on 01/07/2024."),
    ("sections", "Theft is in section 303.", "303. (1) Whoever steals …"),
    ("codes", "The XR-17B is sold.", "xr17b: sold out"),
    ("names", "The BNS replaced it.", "The Bharatiya Nyaya Sanhita replaced it."),
    ("names", "Rao's report of the Bharatiya Nyaya Sanhita.", "The report of Rao on the BNS."),
    ("quotes", 'It says "pets are welcome".', "Here pets are welcome."),
    ("negation", "Pets are not allowed.", "No pets: they are not allowed."),
    ("negation", "Children swim free, except on Sundays.", "Children swim free, except on Sundays."),
    ("opposites", "Apply before the hearing.", "Apply before, not after, the hearing."),
    ("obligation", "Tenants must give notice in May 2024.", "Tenants must give notice in May 2024; they may write."),
    ("scope", "All tenants may keep a cat.", "All tenants may keep a cat, some a dog."),
]


@pytest.mark.parametrize(("check", "claim", "premise", "named"), MISSING)
def test_what_is_missing_is_named(check, claim, premise, named):
    finding = CHECKS[check](claim, premise)
    assert finding is not None
    assert 0 < finding.missing <= 1
    assert named in finding.reason
    assert "\n" not in finding.reason


@pytest.mark.parametrize(("check", "claim", "premise"), FOUND)
def test_what_is_there_is_found(check, claim, premise):
    finding = CHECKS[check](claim, premise)
    assert finding is None or (finding.missing, finding.reason) == (0, "")


@pytest.mark.parametrize("check", CHECKS)
@pytest.mark.parametrize("claim", ["", "…", "so it is", "ALL IN CAPITALS 5", "दण्ड संहिता की धारा ४२०", '«»""', "a\u0000b " * 50])
def test_no_text_breaks_a_check(check, claim):
    assert (CHECKS[check](claim, "") or True) is not None
    same = CHECKS[check](claim, claim)
    assert same is None or same.passed


@pytest.mark.parametrize(("_check", "_claim", "premise", "_named"), MISSING)
def test_a_sentence_passes_all_checks_against_itself(_check, _claim, premise, _named):
    assert [f for f in run_checks(premise, f"Before it. {premise} Behind it.") if not f.passed] == []


def test_reason_is_as_a_person_reads_it():
    assert [f.reason for f in run_checks("Rao paid 303 euros.", "Rao paid 103 euros.") if not f.passed] == ["303 euros is not in the cited passage"]
