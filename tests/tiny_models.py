"""Models of two layers with random weights, made where a test needs one: no file is downloaded or kept."""

import torch
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
from transformers import BertConfig, BertForSequenceClassification, BertModel, PreTrainedTokenizerFast

WORDS = [
    "what",
    "who",
    "how",
    "when",
    "many",
    "is",
    "are",
    "the",
    "a",
    "of",
    "and",
    "in",
    "by",
    "to",
    "be",
    "must",
    "may",
    "shall",
    "not",
    "no",
    "days",
    "leave",
    "sick",
    "annual",
    "notice",
    "thirty",
    "twenty",
    "board",
    "decides",
    "report",
    "pay",
    "travel",
    "claim",
    "form",
    "office",
    "month",
    "week",
    "year",
    "manager",
    "employee",
    "rule",
    "section",
    "refund",
    "policy",
    "given",
    "within",
    "before",
    "after",
]
SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]


def tiny_tokenizer(longest: int = 64, types: bool = True) -> PreTrainedTokenizerFast:
    """WordPiece over a few words and all lower-case letters."""
    letters = [chr(c) for c in range(ord("a"), ord("z") + 1)]
    pieces = [*SPECIAL, *WORDS, *(w for w in letters if w not in WORDS), *(f"##{w}" for w in letters), *"0123456789.,?"]
    tokenizer = Tokenizer(models.WordPiece({piece: i for i, piece in enumerate(dict.fromkeys(pieces))}, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    roles = dict(zip(("pad_token", "unk_token", "cls_token", "sep_token", "mask_token"), SPECIAL, strict=True))
    names = ["input_ids", *(["token_type_ids"] if types else []), "attention_mask"]
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, model_max_length=longest, model_input_names=names, **roles)


def _config(width: int, **more) -> BertConfig:
    return BertConfig(
        vocab_size=tiny_tokenizer().vocab_size,
        hidden_size=width,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=2 * width,
        max_position_embeddings=64,
        **more,
    )


def tiny_classifier(labels: int = 1, width: int = 32, seed: int = 0):
    """A classifier of pairs and its tokenizer; the weights are far enough from 0 for the logits to differ."""
    torch.manual_seed(seed)
    model = BertForSequenceClassification(_config(width, num_labels=labels, initializer_range=0.2)).eval()
    return model, tiny_tokenizer()


def tiny_encoder(width: int = 32, seed: int = 0):
    """A bare encoder and its tokenizer."""
    torch.manual_seed(seed)
    return BertModel(_config(width, initializer_range=0.2)).eval(), tiny_tokenizer()
