default_scope = 'mmengine'
work_dir = 'work_dirs/spectra'
log_level = 'INFO'

default_hooks = dict(
    timer=dict(type='IterTimerHook'),
    logger=dict(type='LoggerHook', interval=4),
    param_scheduler=dict(type='ParamSchedulerHook'),
    checkpoint=dict(type='CheckpointHook', interval=2, save_best='spectra/mae', rule='less'),
    sampler_seed=dict(type='DistSamplerSeedHook'))

train_cfg = dict(by_epoch=True, max_epochs=4, val_interval=2)
val_cfg = dict(type='ValLoop')
optim_wrapper = dict(
    type='OptimWrapper',
    optimizer=dict(type='AdamW', lr=0.01, weight_decay=1e-4),
    clip_grad=dict(max_norm=1.0))
param_scheduler = [
    dict(type='LinearLR', start_factor=0.1, by_epoch=False, begin=0, end=6),
    dict(type='CosineAnnealingLR', by_epoch=True, begin=1, end=4, T_max=3),
]
