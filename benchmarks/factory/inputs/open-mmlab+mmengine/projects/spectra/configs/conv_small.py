_base_ = ['./base.py']

bands = 24
targets = 3

model = dict(
    type='SpectraRegressor',
    data_preprocessor=dict(type='BandNormalizer', mean=[0.5] * bands, std=[0.25] * bands),
    encoder=dict(type='ConvEncoder', in_channels=1, channels=(8, 16), kernel_size=3),
    head=dict(type='PoolHead', in_channels=16, out_features=targets),
    loss_weight=1.0)

train_pipeline = [
    dict(type='AddNoise', sigma=0.02),
    dict(type='DropBands', count=2),
    dict(type='PackSpectrum'),
]
val_pipeline = [dict(type='PackSpectrum')]

train_dataloader = dict(
    batch_size=16,
    num_workers=0,
    dataset=dict(type='SyntheticSpectra', size=128, bands=bands, targets=targets,
                 pipeline=train_pipeline),
    sampler=dict(type='DefaultSampler', shuffle=True),
    collate_fn=dict(type='default_collate'))
val_dataloader = dict(
    batch_size=32,
    num_workers=0,
    dataset=dict(type='SyntheticSpectra', size=64, bands=bands, targets=targets, seed=1,
                 pipeline=val_pipeline),
    sampler=dict(type='DefaultSampler', shuffle=False),
    collate_fn=dict(type='default_collate'))
val_evaluator = dict(type='MeanAbsoluteError', prefix='spectra')
