from transformers import GPT2Config, GPT2LMHeadModel


def build_lm(tok, block, width=96, depth=3):
    cfg = GPT2Config(
        vocab_size=tok.vocab_size,
        n_positions=block,
        n_embd=width,
        n_layer=depth,
        n_head=4,
        resid_pdrop=0.05,
        embd_pdrop=0.05,
        bos_token_id=tok.convert_tokens_to_ids("<title>"),
        eos_token_id=tok.convert_tokens_to_ids("<end>"),
        pad_token_id=tok.pad_token_id,
    )
    return GPT2LMHeadModel(cfg)
