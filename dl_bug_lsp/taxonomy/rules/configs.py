"""Rules for configurations and command lines: OmegaConf, Hydra, pydantic, argparse, click, absl."""

from __future__ import annotations

import re

from dl_bug_lsp.taxonomy.classification_context import Rule, rule

KEY, ARGUMENT, TYPE = "key_not_found", "illegal_argument", "type_mismatch"
LIBRARY = "library_not_found"
_FROM_OUTSIDE = re.compile(
    r"\bargv\[|\benviron\b|\bgetenv\(|\binput\(|\b(?:args|FLAGS|opts?)\.\w"
    r"|\b(?:int|float)\([^()]{0,60}(?:fname|filename|file_name|basename|stem|path)\b"
)
"""How a line reads what was given to the program: arguments, the environment, names of files."""

RULES: tuple[Rule, ...] = (
    rule(
        "config.value_from_outside",
        ARGUMENT,
        "invalid literal for int()",
        "invalid literal for float()",
        "could not convert string to float",
        types="ValueError",
        when=lambda s: bool(_FROM_OUTSIDE.search(s.user_source)),
        confidence=0.8,
    ),
    rule(
        "config.among_available",
        ARGUMENT,
        ". available…: [",
        types="ValueError program log",
        confidence=0.7,
    ),
    rule(
        "config.component",
        KEY,
        "can't find factory for",
        "can't find pipeline component",
        "could not find function '…' in function registry",
        types="ValueError KeyError RegistryError program log",
        confidence=0.85,
    ),
    rule(
        "config.fields",
        ARGUMENT,
        "extra fields not permitted",
        "extra inputs are not permitted",
        "instance of…expected",
        "config validation error",
        types="ValidationError ConfigValidationError RegistryError program log",
        confidence=0.8,
    ),
    rule(
        "config.usage",
        ARGUMENT,
        "unrecognized arguments",
        "the following arguments are required",
        "one of the arguments…is required",
        "invalid choice",
        "invalid int value",
        "invalid float value",
        "invalid…value: ",
        "expected…argument",
        "not allowed with argument",
        "ambiguous option",
        "ignored explicit argument",
        "too few arguments",
        "no such option",
        "no such command",
        "missing option",
        "missing argument",
        "missing parameter",
        "invalid value for",
        "is not a valid integer",
        "is not a valid float",
        "does not take a value",
        "requires an argument",
        "option…requires",
        "unknown command line flag",
        "flags parsing error",
        'parser key "',
        "problem with given class_path",
        "flag --",
        "unrecognized option",
        "invalid option",
        "unknown option",
        "illegal option",
        "unknown flag",
        "illegal value for flag",
        "missing value for",
        "usage:",
        "could not consume arg",
        "invalid partition name",
        "invalid account",
        "invalid qos",
        "requested node configuration is not available",
        "batch job submission failed",
        "unable to allocate resources",
        "local world size",
        "unsupported nproc_per_node value",
        "invalid reference format",
        types="argparse click typer absl fire hydra torchrun bash sh zsh python pip "
        "docker slurm sbatch "
        "srun accelerate deepspeed SystemExit ArgumentError ArgumentTypeError UsageError "
        "NoSuchOption BadParameter BadOptionUsage MissingParameter BadArgumentUsage FireExit "
        "UnrecognizedFlagError IllegalFlagValueError ValidationError FlagsError "
        "CantOpenFlagFileError "
        "ClickException getopt GetoptError conda getopts salloc launcher lightning transformers "
        "log",
    ),
    rule(
        "hydra.override",
        ARGUMENT,
        "could not override",
        "error when composing. overrides",
        "error parsing override",
        "could not append to config",
        "could not delete from config",
        confidence=0.75,
    ),
    rule(
        "config.usage_class",
        ARGUMENT,
        types="argparse click typer absl fire getopt ArgumentError ArgumentTypeError UsageError "
        "NoSuchOption BadParameter BadOptionUsage MissingParameter BadArgumentUsage FireExit "
        "UnrecognizedFlagError IllegalFlagValueError FlagsError",
        confidence=0.75,
        unless=(
            "no such file",
            "does not exist",
            "permission denied",
            "no module named",
            "can't open",
        ),
    ),
    rule(
        "hydra.library",
        LIBRARY,
        "error locating target",
        "error loading '",
        "are you sure that",
        types="InstantiationException ImportError",
        unless=("error in call to",),
        confidence=0.75,
        when=lambda s: s.says("no module named", "modulenotfounderror", "error loading module"),
    ),
    rule(
        "hydra.target",
        "attribute_not_found",
        "error locating target",
        "unable to find or load",
        "error loading '",
        types="InstantiationException",
        confidence=0.6,
    ),
    rule(
        "config.registered_twice",
        "framework_api_misuse",
        "is already registered",
        "was already registered",
        types="KeyError ValueError AssertionError",
        confidence=0.6,
    ),
    rule(
        "config.key_in_words",
        KEY,
        "unexpected key",
        types="program",
        unless=("unexpected keyword",),
        confidence=0.5,
    ),
    rule(
        "config.key",
        KEY,
        "key '…' not in",
        "is not in struct",
        "missing key",
        "missing mandatory value",
        "missingmandatoryvalue",
        "interpolation key '…' not found",
        "key not found",
        "no option '…' in section",
        "no section",
        "no such key",
        "key…is missing",
        "missing required field",
        "missing required config",
        "unknown config key",
        "unknown key",
        "unexpected key",
        "required key",
        "has no key",
        "non-existent config key",
        "missing environment variable",
        "environment variable '…' not found",
        "could not find '…/",
        "in '…': could not find",
        types="ConfigAttributeError ConfigKeyError MissingMandatoryValue InterpolationKeyError "
        "InterpolationResolutionError ConfigCompositionException NoSectionError "
        "NoOptionError KeyError "
        "ValueError AttributeError RuntimeError hydra HydraException MissingConfigException "
        "missingconfigexception "
        "ConfigError ConfigException ConfigurationError",
        unless=("state_dict", "conversion failed", "no such file"),
        confidence=0.85,
    ),
    rule(
        "config.key_class",
        KEY,
        types="ConfigAttributeError ConfigKeyError MissingMandatoryValue InterpolationKeyError "
        "InterpolationResolutionError NoSectionError NoOptionError InterpolationMissingOptionError",
        confidence=0.85,
    ),
    rule(
        "config.type",
        TYPE,
        "could not be converted to",
        "value…of type…could not be converted",
        "is not a subclass of",
        "invalid type assigned",
        "cannot convert…to string",
        "object of unsupported type",
        types="ValidationError UnsupportedValueType ReadonlyConfigError "
        "AssertionError ConfigTypeError "
        "ConfigValueError UnsupportedInterpolationType",
        confidence=0.85,
    ),
    rule(
        "config.refused",
        ARGUMENT,
        "invalid sweep config",
        "must contain…section",
        "config must contain",
        "config must have",
        unless=("yaml", "json.decoder"),
        confidence=0.85,
    ),
    rule(
        "config.validation",
        ARGUMENT,
        types="ValidationError ValidationException ConfigValidationError ConfigError "
        "ConfigurationError "
        "ConfigException ConfigCompositionException ConfigValueError "
        "ReadonlyConfigError SettingsError "
        "HydraException SpecParseError InvalidParameterError",
        confidence=0.7,
    ),
)
