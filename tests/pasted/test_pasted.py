"""Texts as people paste them are read as they were labelled; a recorded count may only rise."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent.parent.parent / "benchmarks"))

from pasted import PastedCase, Score, cases, score

from dl_bug_lsp.workspace import Workspace

ALL = list(cases())
NOT_YET = {
    "070-disk-full-save",
    "123-gated-notebook-localhost-links",
    "202-darknet-nan-lines-healthy-avg",
    "204-yolov6-iou-loss-zero",
    "315-two-losses-gan-collapse",
    "366-pip-wheel-old-command-errored",
    "393-trt-network-output-cpp",
    "414-gym-unpack-five-four-egl",
    "456-mps-llvm-broadcast-zsh-abort",
    "513-invalid-loss-batch-behind-bar",
    "531-nan-or-inf-tensor-then-runs-on",
    "560-system-info-then-num-items-in-batch",
    "647-title-spawn-wheel-flash-installable",
    "730-negative-nll-loss-chinese-acc-zero",
    "821-zero3-assert-interleaved-ranks",
    "853-jax-cudnn-loaded-vs-compiled-header",
    "873-darknet-map-zero-region-nan-healthy",
    "890-shm-list-of-errors-ideographic-comma",
    "902-dynamo-logger-prefix-nameerror",
    "922-jax-xmap-out-axes-triple-tick-sentence",
    "934-torchrun-bind-errno-98-two-lines-then-prose",
    "944-cudnn-ops-any-of-braces-invalid-handle",
    "971-silent-report-dict-recall-one-support",
    "986-mpi-stdout-prefix-runtimeerror-minibatch-goes-on",
    "1055-yolact-map-table-all-zero-iterations",
    "1058-hrnet-init-lines-version-too-old-cut-trace",
    "1159-unexpected-error-forbidden-file-between-rules",
    "1235-mmseg-vessel-nan-background-100-iter-line",
    "1249-tf1-nan-in-summary-histogram-warning-after-losses",
    "1335-lightgbm-check-failed-bag-cnt-ipython-cut",
    "1446-ray-train-raytaskerror-runtime-nested-workers-cut",
    "1515-trt-could-not-open-file-engine-assert-core",
    "1565-zh-couplet-loss",
    "1572-mpi-caught-minibatch",
    "1580-unknown-error-minus-one-title",
    "1603-yolov3-custom-eval-net-dicts-device-dtype",
    "1606-nnunet-2d-worker-pickled-npy",
    "1612-monailabel-oom-title-ignite-epoch-lines-cut",
    "1618-yolov5-float-tuple-shapes-launch-two-traces",
    "1633-trainer-logging-steps-single-gpu-crashes-silently",
    "1634-arctic-watchdog-stuck-480-then-allgather-base",
    "1639-zh-finetune-sh-return-code-9-cpu-adam-offload",
    "1648-srun-task-launch-job-credential-expired",
    "1654-espnet-an4-run-pl-8-of-8-failed",
    "1668-zh-vits-speaker-110-cudnn-index-assertion",
    "1671-easydel-kaggle-tpu-memory-kinds-jit",
    "1672-torch-xla-kaggle-helpers-510-title-image",
    "1689-trading-env-step-five-got-four",
    "1690-keras3-layer-dense-never-built-quoted",
    "1698-course-propagate-wrong-shape-grads-dw",
    "1699-course-model-forward-shapes-bold-headings",
    "1825-zh-asrt-half-day-error-100-title",
    "1828-monai-title-transform-pixdim-warnings-then-worker",
    "1834-speechbrain-sox-cant-open-after-bar-cut",
    "1841-blog-runtime-error-59-stanford-cars",
    "1849-lightning-cant-get-gpus-arg-default",
    "1856-opennmt-two-gcp-nodes-hang-init-complete",
    "1858-srun-interactive-task-0-killed-empty-stderr",
    "1859-two-day-old-jobs-slurm-script-killed",
    "1863-implicit-recommend-user-bound-by-items-question",
    "1867-fsdp-resume-sync-module-states-title-command",
    "1870-triton-table-unavailable-stat-python-backend",
    "1871-tritonserver-failed-to-load-all-models-only",
    "1879-blog-medical-llama-lower-loss-greedy-gibberish",
    "1880-gpt-j-trainer-not-return-a-loss",
    "1882-words-bert-nli-bce-converges-068-tf",
    "1888-zh-keras-embedding-recommender-not-learning-relu",
    "1889-words-gru-translation-bleu-plateau-loss-falls",
    "1896-keras-val-accuracy-59-train-84",
    "1922-r-nnet-regression-predictions-single-value-0560",
    "1930-words-dqn-pong-q-mean-near-zero",
    "1941-dataloader-workers-hang-rand-600-a4000",
    "1944-colab-requirements-old-pandas-build-fails",
    "1948-notebook-kernel-restarted-at-train-fit",
    "1954-vllm-oom-lora-title-then-env-dump",
    "1958-words-colab-runtime-disconnected-model-fit",
    "1962-subprocvecenv-eof-after-rollouts-child-silent",
    "1968-catdog-1200-epochs-losses-rise-then-flat",
    "1970-zh-mnist-beginner-size-mismatch-fc1",
    "1977-words-course-gradient-descent-unittest-deviation",
    "1984-resumed-run-differs-table-adam-adagrad-sgd",
    "1988-notebook-json-unpickling-x0a-stack",
    "1992-tfjs-node-gpu-cudart-issue-form",
    "1994-fsdp-example-hangs-0-of-188-bar",
    "1996-unitxt-loadhf-only-test-unknown-split-cut",
    "2004-tf27-stateful-lstm-batch-33-h-32",
    "2009-simple-knn-wheel-box-nvcc-line-cut",
    "2012-m1-nonzero-warning-then-index-put-impl",
    "2025-chinese-cudnn-5005-compiled-with-5103-k20m",
    "2148-loss-constant-0693",
    "2296-yolox-own-coco-all-zero-ap",
    "2408-sagemaker-algo1-errormessage-num-samples-zero",
    "2438-colab-pjrt-args-size-then-unable-initialize-backend",
    "2518-grid-all-fits-failed",
    "2540-sklearn-tags",
    "2548-datasets-generation-error",
    "2558-local-rank-unrecognized",
    "2596-docker-nested-pip-install-torch-calledprocess",
    "2606-ko-webui-form-xformers-built-for-other-torch",
    "2678-librosa-three-messages-list",
}
"""Cases that were read while working and are not read right."""
HELD_OUT = {"exception": 291, "category": 384}


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    """A folder without files."""
    return Workspace(tmp_path_factory.mktemp("empty"), cache=False)


def test_labels() -> None:
    assert len(ALL) == 2670
    assert sum(case.held_out for case in ALL) == 441


@pytest.mark.parametrize(
    "case", [c for c in ALL if not c.held_out], ids=lambda case: str(case.name)
)
def test_case(case: PastedCase, empty: Workspace) -> None:
    got, _ = score(case, empty)
    right = got.exception is not False and got.category and not got.misled
    assert right == (case.name not in NOT_YET)


def test_held_out(empty: Workspace) -> None:
    scores: list[Score] = [score(case, empty)[0] for case in ALL if case.held_out]
    assert sum(bool(s.exception) for s in scores) >= HELD_OUT["exception"]
    assert sum(s.category for s in scores) >= HELD_OUT["category"]
