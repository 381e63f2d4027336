"""Text of the example documents that are not written by hand as files: `make_documents.py` turns it into docx and pdf.

The markup is a small part of Markdown: `# ` and `## ` headings, `- ` list items, `| a | b |` table rows (the first is
the head), and
paragraphs between blank lines.
"""

WOMEN_AND_CHILDREN = """
# Offences against women and children

This is a plain guide written for a software example. It is not legal advice. Sections are those of the Bharatiya
Nyaya Sanhita (BNS), in force since 1 July 2024; numbers of the Indian Penal Code (IPC) are superseded since that day.

## Section 64: Rape

Sex with a woman without her free consent, as section 63 describes it in detail. Punishment under section 64(1): at
least ten years of rigorous imprisonment, at most life, and a fine. Old number: IPC 376, superseded since 1 July 2024.

## Section 70: Gang rape

Rape by a group. Punishment under section 70(1): at least twenty years, at most the rest of the offender's natural
life, with a fine that is paid to the victim. If the victim is under eighteen, section 70(2) allows death. Old number:
IPC 376D, superseded since 1 July 2024.

## Section 74: Assault on a woman's modesty

Using force against a woman so as to outrage her modesty. Punishment: one to five years in prison and a fine. Old
number: IPC 354, superseded since 1 July 2024.

## Section 75: Sexual harassment

| Act of a man | Limit of the sentence |
| --- | --- |
| Unwelcome physical advances | three years of rigorous imprisonment, a fine, or both |
| Asking for sexual favours | three years of rigorous imprisonment, a fine, or both |
| Showing pornography to an unwilling woman | three years of rigorous imprisonment, a fine, or both |
| Sexually coloured remarks | one year in prison, a fine, or both |

Old number: IPC 354A, superseded since 1 July 2024.

## Section 77: Voyeurism

Watching or filming a woman in a private act, or passing such pictures on. First conviction: one to three years and a
fine. Later convictions: three to seven years and a fine. Consent to being filmed is no consent to sharing. Old
number: IPC 354C, superseded since 1 July 2024.

## Section 78: Stalking

Following or contacting a woman again and again although she has shown no interest, or watching what she does online.
Stalking carries up to three years and a fine on a first conviction, and up to five years and a fine after that. A man
who was charged by the state with preventing crime, or whose conduct was reasonable in the circumstances, does not
commit it. Old number: IPC 354D, superseded since 1 July 2024.

## Section 80: Dowry death

The unnatural death of a woman in the first seven years of marriage, when her husband or his family tormented her over
dowry shortly before. Punishment: at least seven years in prison, at most life. Old number: IPC 304B, superseded since
1 July 2024.

## Section 82: Bigamy

Marrying while a husband or wife is alive. Punishment under section 82(1): up to seven years and a fine. Hiding the
first marriage from the new spouse raises the limit to ten years. It is no offence where a court has declared the
first marriage void, or where the spouse has been missing for seven years and the new partner knows it. Old number:
IPC 494, superseded since 1 July 2024.

## Section 85: Cruelty by a husband or his relatives

Cruelty, in mind or body, to a married woman, including pressure over dowry; section 86 says what counts. Punishment:
up to three years in prison and a fine. Old number: IPC 498A, superseded since 1 July 2024.
"""

STATE_AND_PUBLIC_ORDER = """
# Offences against the state and public order

A plain guide written for a software example; it is not legal advice. It follows the Bharatiya Nyaya Sanhita (BNS), in
force since 1 July 2024. Every number of the Indian Penal Code (IPC) below is superseded since 1 July 2024.

## Section 147: Waging war against the state

Making war on the government of the country, trying to, or helping with it. Punishment: death or life imprisonment, and a fine. Old number: IPC
121.

## Section 152: Endangering sovereignty and unity

Stirring up secession, armed rebellion or separatist feeling, by speech, writing, electronic messages or money.
Punishment: life imprisonment, or up to seven years in prison, and a fine. Criticism of the government that seeks
change by lawful means is not an offence under section 152.

Sedition, IPC 124A, was not carried over into the BNS. Section 152 is the nearest offence, but it is worded
differently.

## Offences in a crowd

An unlawful assembly needs five people or more with an unlawful common purpose. It becomes a riot when one of them
uses force for that purpose.

| Offence | Section | Limit of the sentence | Old number |
| --- | --- | --- | --- |
| Unlawful assembly, member | 189(2) | six months, a fine, or both | IPC 143 |
| Rioting | 191(2) | two years, a fine, or both | IPC 147 |
| Rioting with a deadly weapon | 191(3) | five years, a fine, or both | IPC 148 |
| Affray, a fight in public | 194(2) | one month, a fine of up to one thousand rupees, or both | IPC 160 |

Affray differs from rioting: two people are enough for it, and no common purpose is needed.

## Section 196: Enmity between groups

Promoting hatred between groups over religion, race, language, caste and the like. Punishment: up to three years in
prison, a fine, or both. In a place of worship the limit is five years, and a fine is added. Old number: IPC 153A.

## Section 351: Criminal intimidation

Threatening a person with harm in order to alarm or to force them. Punishment under section 351(2): up to two years, a
fine, or both. A threat of death or grievous hurt raises the limit to seven years. An anonymous threat adds up to two
years. Old number: IPC 506.

## Section 355: Public drunkenness

Annoying people in a public place while drunk. Punishment: up to twenty-four hours of simple imprisonment, a fine of
up to one thousand rupees, or both, or community service. Old number: IPC 510.

## Section 356: Defamation

Harming a person's good name by words, signs or pictures. Punishment under section 356(2): up to two years of simple
imprisonment, a fine, both, or community service. A true statement that serves the public good is not defamation, nor
is an honest opinion on how an official does public duties. Old number: IPC 500.
"""

PENAL_CODE_1860 = """
# The Indian Penal Code of 1860: some old punishments

A short look back, written for a software example; it is not legal advice. The Indian Penal Code (IPC) is no longer in
force: the Bharatiya Nyaya Sanhita, 2023, superseded it on 1 July 2024. What was done before that day is still judged
by the old Code.

## Some sections and their punishments

| Old section | Offence | Limit of the sentence |
| --- | --- | --- |
| IPC 302 | Murder | death or life imprisonment, and a fine |
| IPC 304A | Death by negligence | two years, a fine, or both |
| IPC 309 | Attempted suicide | one year of simple imprisonment, a fine, or both |
| IPC 323 | Voluntarily causing hurt | one year, a fine of up to one thousand rupees, or both |
| IPC 379 | Theft | three years, a fine, or both |
| IPC 384 | Extortion | three years, a fine, or both |
| IPC 406 | Criminal breach of trust | three years, a fine, or both |
| IPC 417 | Cheating | one year, a fine, or both |
| IPC 426 | Mischief | three months, a fine, or both |
| IPC 510 | Public drunkenness | twenty-four hours, a fine of up to ten rupees, or both |

## Sedition

Section 124A punished sedition, that is, stirring up hatred or contempt of the government. The sentence was life
imprisonment or up to three years, to which a fine could be added, or a fine alone.

## What the old Code did not have

- Community service was not among its sentences.
- Snatching was punished as ordinary theft.
- Organised crime and terrorist acts were left to special laws.
"""

LEAVE = """
# Sick, parental and bereavement leave

For everyone employed by Ossivarden Instruments. This page covers absence because of illness, birth, adoption and
death in the family.

## Sick leave

Each employee has ten days of paid sick leave in a calendar year. Tell your manager before your working day would
begin, by phone or message.

- A doctor's note is needed from the third day of an illness.
- No note is needed for hospital stays: the discharge paper is enough.
- Illness during a business trip counts as sick leave, and the travel desk arranges the return.

After ten days, the company pays half the salary for a further 20 days. Employees on probation do not have this second
period.

## Parental leave

| Who | Paid leave | To be taken |
| --- | --- | --- |
| Parent who gives birth | 26 weeks | up to eight weeks before the birth |
| Other parent | six weeks | within a year of the birth |
| Adoptive parent, child under one year | 16 weeks | from the day of the handover |
| Adoptive parent, older child | eight weeks | from the day of the handover |

Give eight weeks' notice where you can. In a premature birth no notice is needed. Parents may return part-time, at 60
percent or more, for up to a year.

## Bereavement leave

Five paid days for a partner, parent or child, and two for a grandparent or a brother or sister. Nobody is asked for a
certificate.

## How to apply

1. Enter the dates in the people portal.
2. Your manager answers within two working days.
3. Payroll sees the approved dates by itself; you need not write to it.

Sick days that were not used are not paid out.
"""

TRAVEL_AND_EXPENSES = """
# Travel and expenses

What Ossivarden pays when you travel for work, and how you get the money back.

## Booking

Book through the travel desk. Trains are preferred for journeys of less than five hours. Flights are in economy class.
Business class is allowed only on flights of more than eight hours, and only if a director has agreed beforehand.

## Limits

| Item | In India | Abroad |
| --- | --- | --- |
| Hotel, a night | 6,500 rupees | 160 US dollars |
| Meals, a day | 1,200 rupees | 60 US dollars |
| Own car, a kilometre | 12 rupees | not paid |

In Mumbai and Delhi the hotel limit is 8,000 rupees. If a conference names a hotel, its rate is paid even above the
limit.

## Receipts

Keep every receipt. No receipt is needed for a single expense of up to 300 rupees, such as a short taxi ride or a cup
of tea with a customer. If a receipt is lost, your manager may accept a signed note, at most twice a year.

## Claims

Claims must be in within 45 days of the end of the trip. Claims that arrive later are paid only with the approval of
the head of finance. The money comes with the next salary if the claim is approved by the 20th of the month.

## What is not paid

- Alcohol, except at a dinner with customers that a director hosts.
- Fines for parking or speeding.
- Upgrades that you chose yourself.
- Travel of family members.

## Advances

Before a trip of more than three days you may ask for an advance of up to 70 percent of the expected cost. It is set
off against the claim.
"""

SECURITY = """
# Information security

Rules for everyone who works at Ossivarden Instruments or on its systems.

## Reporting an incident

Report a lost or stolen device, a suspicious message that you opened, or any access that should not be possible.
Report it to the security desk within 24 hours of noticing it. You will not be blamed for a report. Lost devices are
wiped from afar as soon as the report is in.

## Classes of information

| Class | Example | May be shared with |
| --- | --- | --- |
| Public | price list | everyone |
| Internal | this page | employees and contractors |
| Restricted | customer readings, salaries | named persons only |

Restricted information is sent in encrypted form only. A customer may always receive its own readings.

## Devices

- Laptops are encrypted and lock themselves after five minutes.
- USB sticks are forbidden, except those issued by the security desk.
- Updates are installed within seven days; urgent ones within two.
- Private phones may read e-mail, provided that they have a screen lock.

## Visitors

Visitors sign in at the reception, wear a badge and are never left alone. The showroom is open to visitors without an
escort.

## Backups

Customer data is backed up every night, and a backup is kept for 35 days. A restore is tried out once a quarter.

## Leaving the company

Access ends at six in the evening of the last working day. Devices are handed in the same day. For contractors, the
manager who hired them is answerable for this.
"""

XR_17B_MANUAL = """
# XR-17B gateway: short manual

The XR-17B is a battery-backed gateway that reads up to eight temperature probes and sends their values to the
monitoring service. It replaces the XR-12, which is still supported.

## What is in the box

- the gateway with its wall bracket,
- a power supply,
- two probes with a cable of three metres,
- a card with the serial number.

## Technical data

| Property | XR-12 | XR-17B |
| --- | --- | --- |
| Probes | 4 | 8 |
| Running time on battery | 9 hours | 18 hours |
| Weight | 410 grams | 365 grams |
| Measuring interval | 10 minutes | 2 minutes |
| Mobile network | no | yes |

## Putting it into service

1. Fix the bracket at eye level, outside the cold room.
2. Plug in the probes first, then the power supply.
3. Wait until the lamp is green, which takes about a minute.
4. Enter the serial number in the dashboard.

Do not mount the gateway inside a freezer. The probes are made for that; the gateway is not.

## The lamp

| Colour | Meaning |
| --- | --- |
| Green | connected, all probes answer |
| Yellow | running on battery |
| Blue, blinking | update in progress, do not unplug |
| Red | alarm or error, see the code on the display |

## Resetting

A short press of the side button silences the alarm for ten minutes. To restore the factory settings, hold the side
button for 12 seconds until the lamp turns white. Unsent readings are lost in a factory reset, but alarm limits are
kept in the dashboard.

## Warranty

The warranty lasts two years from delivery. It does not cover water damage, unless all unused ports were closed with
the rubber caps. The battery is covered for one year only and is replaced by our service, never by the user.
"""

TEXTS = {
    "law/women-and-children.docx": WOMEN_AND_CHILDREN,
    "law/old/penal-code-1860.docx": PENAL_CODE_1860,
    "law/state-and-public-order.pdf": STATE_AND_PUBLIC_ORDER,
    "company/leave.docx": LEAVE,
    "company/travel-and-expenses.docx": TRAVEL_AND_EXPENSES,
    "company/security.pdf": SECURITY,
    "company/xr-17b-manual.pdf": XR_17B_MANUAL,
}
"""File below `examples/documents` → its text."""
