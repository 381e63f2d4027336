"""Rules for texts that lift a model's orders, give it another role, or address it."""

from __future__ import annotations

from components.builders.injection_exceptions import is_quoted_example
from components.builders.injection_rule import LIFTS, Rule, rule
from components.builders.injection_wording import GIVEN, LIFT, MODEL, ORDERS, READER, START, TELL

ORDER_RULES: tuple[Rule, ...] = (
    rule("override", 0.85, rf"{START}\b{LIFT}\b[^\n.!?]{{0,30}}?\b{GIVEN}\b[^\n.!?]{{0,30}}?\b{ORDERS}\b", words=LIFTS),
    rule(
        "override", 0.85, rf"{START}\b{LIFT}\b[^\n.!?]{{0,30}}?\b{ORDERS}\s+(?:above|before|so\s+far|given|you|that\s+(?:came|precede))", words=LIFTS
    ),
    rule(
        "override",
        0.6,
        rf"{START}\b(?:forget|disregard|ignore)\s+(?:everything|anything|all)\s+(?:above|before|you|that|i|said|(?:prior|previous|else)\s*(?:[.,;:!]|$))",
    ),
    rule(
        "override",
        0.6,
        r"\b(?:new|updated|real|actual|true|additional|revised)\s+(?:system\s+)?(?:instructions?|task|objective|prompt|directive)s?\s*(?::|=|-{1,2}>)",
    ),
    rule(
        "override",
        0.85,
        r"(?:पिछल|पहले|पूर्व|उपर|ऊपर|सभी|सारे|दिए\s+गए)[^\n।]{0,40}(?:निर्देश|आदेश|नियम|हिदायत)[^\n।]{0,40}(?:अनदेखा|अनदेखी|नज़रअंदाज़|नजरअंदाज|नज़रअंदाज|भूल\s*जा|उपेक्षा|ध्यान\s+न)",
        None,
    ),
    rule(
        "override",
        0.85,
        r"\b(?:ignor[aeáó]\w*|olvid[ae]\w*|desestim[ae]\w*|descart[ae]\w*|esque[çc]a\w*|desconsider[ea]\w*|dimentic[ah]\w*|trascur[ai]\w*)\b[^\n.]{0,40}\b(?:instruccion\w*|instruç\w+|instruco\w+|istruzion\w+|reglas|regras|regole|indicacion\w+|órdenes|ordens)\b",
        None,
    ),
    rule(
        "override",
        0.85,
        r"\b(?:ignore[rz]?|oublie[rz]?|ne\s+(?:tiens|tenez)\s+pas\s+compte)\b[^\n.]{0,40}\b(?:instructions|consignes|règles|directives|ordres)\b[^\n.]{0,20}\b(?:précédent\w*|antérieur\w*|ci-dessus|initial\w*)",
        None,
    ),
    rule(
        "override",
        0.85,
        r"\b(?:ignorier\w*|vergiss|vergessen\s+sie|missacht\w*|beachte\w*\s+nicht)\b[^\n.]{0,40}\b(?:vorherig|bisherig|obig|vorangegangen|früher|alle)\w*[^\n.]{0,30}\b(?:anweisung|instruktion|regel|vorgabe|befehl)\w*",
        None,
    ),
    rule(
        "override", 0.85, r"(?:игнориру\w*|проигнориру\w*|забуд\w*|не\s+обраща\w*\s+внимания)[^\n.]{0,40}(?:инструкц|указани|правил|команд)\w*", None
    ),
    rule("override", 0.85, r"(?:忽略|无视|無視|忘记|忘掉|不要理会|不要遵守)[^\n。]{0,12}(?:指令|指示|说明|說明|提示|规则|規則|命令)", None),
    rule("override", 0.85, r"(?:以前|上記|これまで|前|すべて|全て)[^\n。]{0,10}(?:指示|命令|ルール|プロンプト)[^\n。]{0,8}(?:無視|忘れ)", None),
    rule("override", 0.85, r"(?:이전|위의|모든|앞의)[^\n.]{0,12}(?:지시|명령|규칙|프롬프트)[^\n.]{0,10}(?:무시|잊)", None),
    rule("override", 0.85, r"(?:تجاهل|تجاهلوا|انسَ?|اهمل)[^\n.]{0,30}(?:التعليمات|الأوامر|القواعد|الإرشادات)", None),
    rule(
        "role",
        0.7,
        rf"\b(?:you\s+are|you['’]re)\s+(?:now|no\s+longer)\s+(?:an?\s+|the\s+|in\s+)?(?:[\w-]+\s+){{0,4}}?(?:{MODEL}|assistant|bot|dan|mode|expert|hacker|pirate|unrestricted|free|bound|jailbroken)\b",
    ),
    rule(
        "role",
        0.6,
        rf"\byou\s+are\s+(?:an?|the)\s+(?:[\w-]+\s+){{0,3}}?(?:{MODEL}\b|(?:helpful|honest|obedient|unrestricted|ai)\s+assistant\b|assistant(?=\s*(?:[.,;:!]|that\b|who\b|with(?:out)?\b|$)))",
    ),
    rule(
        "role",
        0.6,
        rf"{START}(?:act|behave|respond|answer|speak|pose)\s+as\s+(?:if\s+you\s+(?:are|were)\s+)?(?:an?\s+|the\s+)?(?:[\w-]+\s+){{0,3}}?(?:{MODEL}|assistant|dan|character|persona|unrestricted\s+\w+|admin\w*|root|system)\b",
    ),
    rule(
        "role",
        0.6,
        rf"{START}(?:pretend|imagine|role-?\s?play|simulate)\b[^\n.!?]{{0,20}}\b(?:you|that\s+you|to\s+be|as|being)\b[^\n.!?]{{0,40}}\b(?:{MODEL}|assistant|character|persona|unrestricted|no\s+(?:rules|restrictions|limits)|admin\w*|dan|mode)\b",
    ),
    rule("role", 0.7, rf"\byou\s+are\s+now\s+(?:an?|the|my)\s+[^\n.!?]{{0,40}}?[:,;—–-]\s*(?:(?:so|and|then)\s+)?{TELL}\b"),
    rule("role", 0.6, r"\bfrom\s+now\s+on,?\s+you(?:\s+are|['’]re|\s+will\s+be)\s+(?:an?|my)\s"),
    rule(
        "role",
        0.7,
        r"\b(?:enter|enable|activate|switch\s+to|you\s+are\s+in|engage)\s+(?:the\s+)?(?:developer|debug|admin\w*|god|dan|jailbreak|maintenance|sudo|unrestricted|override)\s+mode\b",
    ),
    rule(
        "address",
        0.7,
        rf"\b(?:note|attention|instructions?|important|message|memo|notice|warning|hint|hey|dear|hello|reminder|to|for)\s*(?:to|for|:|,)?\s+(?:the\s+|any\s+|all\s+)?(?:{MODEL}|assistants?|(?:language\s+)?models?)(?:\s+(?:reading|processing|summari[sz]ing|seeing|parsing|answering|that\s+reads?)[^\n.:,]{{0,30}})?\s*[:,!—–]",
    ),
    rule("address", 0.6, rf"\b(?:note|attention|instructions?|important|message|notice)\s+(?:to|for)\s+(?:the\s+|any\s+|all\s+)?(?:{MODEL})\b"),
    rule(
        "address",
        0.7,
        rf"\b{READER}\s+(?:that\s+(?:is|are)\s+|who\s+(?:is|are)\s+)?(?:reading|processing|summari[sz]ing|seeing|parsing|given|answering\s+from)\s+(?:this|these|it|the\s+(?:document|text|passage|page|context))\b",
    ),
    rule(
        "address",
        0.6,
        rf"\b{MODEL}\b[^\n.!?]{{0,40}}\b(?:must|should|shall|ha(?:s|ve)\s+to|needs?\s+to|please|(?:is|are)\s+(?:required|instructed|ordered)\s+to)\b[^\n.!?]{{0,30}}\b{TELL}\b\s*(?:that\b|with\b|only\b|exactly\b|(?:the\s+|any\s+|every\s+)?(?:user|reader|customer|person|visitor)s?\s+to\b|:|[\"“‘'`])",
        is_quoted_example,
    ),
    rule(
        "address",
        0.5,
        rf"^\W{{0,6}}(?:{MODEL}|assistant)\s*[:,]\s*(?:please\s+|you\s+|always\s+|do\s+|don|must\s+|{TELL}\b|ignore|reveal|treat)",
        None,
    ),
)
