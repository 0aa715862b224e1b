"""Networks of torchvision and transformers with weights from a seed, small inputs and, for transformers, small configurations."""
from torch import long, nn, ones, randint, randn

VISION = ['squeezenet1_0', 'resnet18', 'mobilenet_v2', 'mobilenet_v3_small', 'shufflenet_v2_x0_5', 'mnasnet0_5', 'efficientnet_b0', 'regnet_y_400mf',
          'densenet121', 'convnext_tiny', 'swin_t', 'swin_v2_t']
SMALL = dict(vocab_size=99, hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=64)
GROUPED = dict(num_key_value_heads=2)
TEXT = {
    'Bert': ('Model', {}), 'DistilBert': ('Model', dict(dim=32, n_heads=4, n_layers=2, hidden_dim=64)), 'Albert': ('Model', dict(embedding_size=16)),
    'MPNet': ('Model', {}), 'RoFormer': ('Model', {}), 'DebertaV2': ('Model', dict(relative_attention=True, pos_att_type=['p2c', 'c2p'], position_buckets=8)),
    'GPT2': ('LMHeadModel', dict(n_embd=32, n_layer=2, n_head=4)), 'OPT': ('ForCausalLM', dict(ffn_dim=64, word_embed_proj_dim=32)),
    'Bloom': ('ForCausalLM', dict(n_layer=2, n_head=4)), 'Llama': ('ForCausalLM', GROUPED), 'Qwen3': ('ForCausalLM', dict(GROUPED, head_dim=8)),
    'Gemma2': ('ForCausalLM', dict(GROUPED, head_dim=8, sliding_window=6)), 'Mamba': ('ForCausalLM', dict(state_size=4)),
}
LAYERS_OF_IMAGES = dict(hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=64, image_size=32, patch_size=8)
IMAGES = {
    'ViT': ('ForImageClassification', LAYERS_OF_IMAGES), 'Beit': ('ForImageClassification', dict(LAYERS_OF_IMAGES, use_relative_position_bias=True)),
    'Segformer': ('ForSemanticSegmentation', dict(depths=[1]*4, hidden_sizes=[8, 16, 24, 32], decoder_hidden_size=16)),
    'ConvNextV2': ('ForImageClassification', dict(hidden_sizes=[8, 16, 24, 32], depths=[1, 1, 2, 1])),
}


class FirstResult(nn.Module):
    """A model of transformers whose first result is the output."""

    def __init__(self, model, names, **constant):
        super().__init__()
        self.model, self.names, self.constant = model, names, constant

    def forward(self, *inputs):
        return self.model(**dict(zip(self.names, inputs)), **self.constant, return_dict=False)[0]


def vision(name):
    import torchvision
    return torchvision.models.get_model(name, weights=None, num_classes=10)


def small_network(kind, suffix, changes, names, base):
    import transformers
    config = getattr(transformers, kind + 'Config')(**{**base, **changes})
    return FirstResult(getattr(transformers, kind + suffix)(config), names, **({'use_cache': False} if suffix.endswith(('LM', 'HeadModel')) else {}))


MAKERS = {}
for one in VISION:
    MAKERS[one] = (lambda name=one: vision(name), [randn(2, 3, 64, 64)])
for kind, (suffix, changes) in TEXT.items():
    MAKERS[kind] = (lambda k=kind, s=suffix, c=changes: small_network(k, s, c, ['input_ids', 'attention_mask'], SMALL),
                    [randint(0, 99, (2, 12)), ones(2, 12, dtype=long)])
for kind, (suffix, changes) in IMAGES.items():
    MAKERS[kind] = (lambda k=kind, s=suffix, c=changes: small_network(k, s, c, ['pixel_values'], {}), [randn(2, 3, changes.get('image_size', 64), changes.get('image_size', 64))])
