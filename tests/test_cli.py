"""The command, as a user types it."""

import argparse
import dataclasses
import io
import json
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from attnbook.command import main, translate
from attnbook.command.options import add_fields, read_fields
from attnbook.config import TransformerConfig
from attnbook.data import datasets, vocabulary
from attnbook.decoding import metrics, pretrained, translator
from attnbook.training import number_types, precision
from attnbook.training.config import TrainConfig, setting
from attnbook.training.repro import seed_everything
from attnbook.training.run_config import (
    build_model,
    name_kind,
    read_config,
)
from attnbook.training.runs import RunFolder
from attnbook.transformer import Transformer

RECURRENT = ["--d-model", "16", "--layers", "1", "--max-tokens", "256"]
RECURRENT += ["--precision", "fp32", "--device", "cpu"]
SMALL = [*RECURRENT, "--d-ff", "16", "--heads", "2"]
WORDS = {"a": "un", "red": "rouge", "dog": "chien", "cat": "chat"}


@pytest.fixture(scope="module")
def texts(tmp_path_factory):
    """Two files of 120 lines that translate each other word by word."""
    folder = tmp_path_factory.mktemp("texts")
    names = list(WORDS)
    lines = [
        " ".join(names[(i * j + i) % 4] for j in range(1, 2 + i % 5))
        for i in range(120)
    ]
    source, target = folder / "text.en", folder / "text.fr"
    source.write_text("\n".join(lines) + "\n")
    translated = [" ".join(WORDS[w] for w in line.split()) for line in lines]
    target.write_text("\n".join(translated) + "\n")
    return [str(source), str(target)]


def train(texts, folder, *more):
    sizes = RECURRENT if "--model" in more else SMALL
    words = ["train", "--data", "files", "--train", *texts, *sizes]
    words += ["--merges", "20", "--out", str(folder), "--save-every", "5"]
    return main.main([*words, "--steps", "10", *more])


@pytest.fixture(scope="module")
def trained_once(texts, tmp_path_factory):
    folder = tmp_path_factory.mktemp("trained") / "run"
    assert train(texts, folder) == 0
    return folder


@pytest.fixture
def trained(trained_once, tmp_path):
    """A copy of the trained run, which a test may damage."""
    return shutil.copytree(trained_once, tmp_path / "run")


def test_train_translate_evaluate(texts, trained, tmp_path, capsys):
    names = sorted(p.name for p in trained.iterdir())
    assert names[:3] == ["config.json", "model.safetensors", "source.json"]
    words = ["translate", "--checkpoint", str(trained), "--beam", "2"]
    assert main.main([*words, "a dog", "red cat"]) == 0
    shown = capsys.readouterr().out
    assert shown.count("\n") == 2
    listed = tmp_path / "in.txt"
    listed.write_text("a dog\n\nred cat\n")
    output = tmp_path / "out.txt"
    words += ["--file", str(listed), "--output", str(output)]
    assert main.main(words) == 0
    first, empty, last, end = output.read_text().split("\n")
    assert [first, last] == shown.splitlines()
    assert (empty, end) == ("", "")
    words = ["evaluate", "--checkpoint", str(trained), "--beam", "1"]
    assert main.main([*words, "--files", *texts]) == 0
    shown = capsys.readouterr().out
    assert "120 sentences" in shown
    assert "tok:13a" in shown and "lowercased|sacremoses.fr" in shown


@pytest.mark.parametrize(
    "more",
    [
        ["--model", "gru"],
        ["--model", "lstm", "--no-attention"],
        ["--accumulate", "2", "--average", "2", "--seed", "3"],
    ],
    ids=" ".join,
)
def test_other_models_and_settings(texts, tmp_path, more, capsys):
    folder = tmp_path / "run"
    assert train(texts, folder, *more) == 0
    words = ["translate", "--checkpoint", str(folder), "a dog"]
    assert main.main([*words, "--beam", "1"]) == 0


def test_a_long_validation_pair_is_no_example(texts, tmp_path, capsys):
    files = [tmp_path / "a", tmp_path / "b"]
    for file, text in zip(files, texts, strict=True):
        lines = Path(text).read_text().splitlines()
        file.write_text("\n".join([" ".join(lines * 3), *lines]))
    held = ["--valid", *map(str, files)]
    assert train(texts, tmp_path / "run", *held) == 0
    assert capsys.readouterr().out.count("->") == 2


def test_the_same_command_again_trains_nothing_anew(texts, trained, capsys):
    before = (trained / "model.safetensors").read_bytes()
    assert train(texts, trained) == 0
    assert (trained / "model.safetensors").read_bytes() == before


def test_standard_input_and_a_closed_pipe(trained):
    words = ["translate", "--checkpoint", str(trained), "--beam", "1"]
    done = subprocess.run(
        [sys.executable, "-m", "attnbook", *words],
        input="a dog\nred cat\n",
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0
    assert done.stdout.count("\n") == 2
    line = f"{sys.executable} -m attnbook {' '.join(words)} a dog cat | true"
    piped = subprocess.run(
        ["bash", "-c", f"set -o pipefail; {line}"], capture_output=True
    )
    assert b"Traceback" not in piped.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
def test_a_full_disk_is_said_in_one_line(trained):
    words = ["translate", "--checkpoint", str(trained), "--beam", "1"]
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "attnbook", *words, "a dog"],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
        )
    assert done.returncode == 1
    assert "No space left on device" in done.stderr
    assert "Traceback" not in done.stderr


def test_ctrl_c_saves_and_says_how_to_go_on(texts, tmp_path):
    words = ["train", "--data", "files", "--train", *texts, *SMALL]
    words += ["--merges", "20", "--out", str(tmp_path / "run")]
    words += ["--steps", "100000", "--save-every", "1000"]
    process = subprocess.Popen(
        [sys.executable, "-m", "attnbook", *words],
        stderr=subprocess.PIPE,
        text=True,
    )
    for line in process.stderr:
        if line.startswith("step "):
            process.send_signal(signal.SIGINT)
            break
    _, rest = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "the same command goes on from there" in rest
    assert "Traceback" not in rest
    assert list((tmp_path / "run").glob("step-*"))


def test_a_training_that_has_diverged_is_not_called_trained(
    texts, tmp_path, capsys
):
    folder = tmp_path / "run"
    assert train(texts, folder, "--learning-rate", "1e30") == 1
    said = capsys.readouterr().err
    assert "expected a finite validation loss, got nan" in said
    assert "trained in" not in said
    assert not list(folder.glob("*.safetensors"))
    assert not (folder / "sure.json").exists()


def test_a_probability_that_is_no_number_is_not_sure(trained):
    model = translator.load_translator(trained)[0]
    kind = datasets.find("files")
    line = translate.format_line(
        model, kind, "fr", ["a"], iter([("un", float("nan"))])
    )
    assert line == "un\tunsure"
    with pytest.raises(ValueError, match="a finite probability, got nan"):
        RunFolder(trained).save_threshold(float("nan"))


@pytest.mark.parametrize("saved", [0, 10])
def test_an_interrupted_training_says_what_is_saved(
    texts, trained, tmp_path, saved, monkeypatch, capsys
):
    def stop(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("attnbook.command.train.run_training", stop)
    assert train(texts, trained if saved else tmp_path / "new") == 130
    said = capsys.readouterr().err
    assert ("up to step 10; the same command goes on" in said) == bool(saved)
    assert ("nothing is saved yet" in said) == (not saved)


def test_training_says_which_number_type_it_found_faster(
    texts, tmp_path, monkeypatch, capsys
):
    """In one line, and keeps the settings as they were typed."""
    monkeypatch.setattr(precision, "cpu_has_bfloat16", lambda: True)
    monkeypatch.setattr(number_types, "measure", lambda *_: (1.0, 1.9))
    assert train(texts, tmp_path / "run", "--precision", "auto") == 0
    said = capsys.readouterr().err.splitlines()
    (line,) = [one for one in said if "bf16" in one]
    assert "0.53 times as fast" in line and "training in fp32" in line
    config = read_config(tmp_path / "run")
    assert config["training"]["precision"] == "auto"
    assert train(texts, tmp_path / "run", "--precision", "auto") == 0
    assert "training in fp32, as this run began" in capsys.readouterr().err


def error(words, capsys):
    """Return the one line of an error."""
    assert main.main(words) == 1
    said = capsys.readouterr().err
    last = said.strip().splitlines()[-1]
    assert last.startswith("attnbook: ")
    return last


def test_bad_files_are_named(texts, tmp_path, capsys):
    words = ["train", "--data", "files", "--out", str(tmp_path / "run")]
    assert "--train SOURCE TARGET" in error(words, capsys)
    empty, latin = tmp_path / "empty", tmp_path / "latin"
    empty.write_text("")
    latin.write_bytes(b"Stra\xdfe\n")
    for bad, message in ((empty, "an empty file"), (latin, "in UTF-8")):
        line = error([*words, "--train", texts[0], str(bad)], capsys)
        assert message in line and str(bad) in line
    short = tmp_path / "short"
    short.write_text("un\n")
    line = error([*words, "--train", texts[0], str(short)], capsys)
    assert "got 120 in" in line and "1 in" in line
    assert not (tmp_path / "run").exists()


def test_bad_checkpoints_are_named(texts, trained, tmp_path, capsys):
    words = ["translate", "a dog", "--checkpoint"]
    none = str(tmp_path / "none")
    assert "train one with attnbook train" in error([*words, none], capsys)
    file = trained / "model.safetensors"
    whole = file.read_bytes()
    file.write_bytes(whole[:-10])
    line = error([*words, str(trained)], capsys)
    assert "a damaged one" in line and "remove this file" in line
    file.unlink()
    assert main.main([*words, str(trained)]) == 0
    file.write_bytes(whole)
    vocab = trained / "source.json"
    content = json.loads(vocab.read_text())
    content["merges"] = content["merges"][:-1]
    vocab.write_text(json.dumps(content))
    assert "vocabulary of this run" in error([*words, str(trained)], capsys)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (None, "expected a JSON object"),
        ({"kind": []}, "expected kind as a str"),
        ({"model": None}, "expected model as a dict"),
        ({"source_vocabulary": 3}, "expected source_vocabulary as a str"),
        ({"data": {}}, "expected data as a list"),
        ({"data": ["files", "en"]}, "expected data as a name and two"),
        ({"data": ["files", "en", 3]}, "expected data as a name and two"),
    ],
)
def test_a_damaged_config_is_named(texts, trained, change, message, capsys):
    path = trained / "config.json"
    config = json.loads(path.read_text())
    path.write_text(json.dumps(config | change if change else []))
    line = error(["translate", "a dog", "--checkpoint", str(trained)], capsys)
    assert message in line and str(path) in line
    assert train(texts, trained) == 1


def test_another_run_in_the_same_folder_is_refused(texts, trained, capsys):
    before = (trained / "config.json").read_bytes()
    words = ["train", "--data", "files", "--train", *texts, *SMALL]
    words += ["--merges", "20", "--out", str(trained), "--steps", "10"]
    line = error([*words, "--save-every", "4", "--d-ff", "20"], capsys)
    assert "d_ff was 16, is now 20; save_every was 5, is now 4; ch" in line
    assert "choose another folder with --out" in line
    assert "steps" not in line
    assert (trained / "config.json").read_bytes() == before


def test_checkpoints_of_an_unknown_run_are_refused(texts, trained, capsys):
    (trained / "config.json").unlink()
    assert train(texts, trained, "--seed", "3") == 1
    assert "config.json beside the checkpoints" in capsys.readouterr().err
    assert not (trained / "config.json").exists()


def test_a_run_of_an_older_version_is_read_and_goes_on(texts, trained, capsys):
    path = trained / "config.json"
    config = json.loads(path.read_text())
    del config["pairs"], config["valid_pairs"]
    config["model"] |= {"source_pad": 0, "target_pad": 0}
    path.write_text(json.dumps(config))
    words = ["translate", "--checkpoint", str(trained), "--beam", "1"]
    assert main.main([*words, "a dog"]) == 0
    assert train(texts, trained) == 0
    config["model"]["source_pad"] = 9
    path.write_text(json.dumps(config))
    assert "expected source_pad 0" in error([*words, "a dog"], capsys)


def test_options_of_other_data_are_refused(texts, tmp_path, capsys):
    words = ["train", "--train", *texts, "--out", str(tmp_path / "run")]
    line = error(words, capsys)
    assert "--train with the data files, got it with storybook" in line


def test_other_text_in_the_same_folder_is_refused(
    texts, trained, tmp_path, capsys
):
    lines = Path(texts[1]).read_text().splitlines()
    other = tmp_path / "other"
    other.write_text("\n".join(lines[::-1]))
    words = ["train", "--data", "files", *SMALL]
    words += ["--train", texts[0], str(other)]
    words += ["--merges", "20", "--out", str(trained), "--steps", "10"]
    line = error([*words, "--save-every", "5"], capsys)
    assert "pairs was" in line and "choose another folder" in line


def test_a_set_that_is_not_there_is_named(texts, trained, capsys):
    words = ["evaluate", "--checkpoint", str(trained), "--beam", "1"]
    line = error(words, capsys)
    assert "--files SOURCE TARGET" in line and "--data" not in line
    line = error([*words, "--train", *texts], capsys)
    assert "files has no test set; add --split valid, or --files" in line
    assert main.main([*words, "--train", *texts, "--split", "valid"]) == 0


def test_a_validation_set_of_other_training_files_is_refused(
    texts, tmp_path, capsys
):
    folder = tmp_path / "run"
    held = ["--valid", *texts]
    assert train(texts, folder, *held) == 0
    words = ["evaluate", "--checkpoint", str(folder), "--beam", "1"]
    words += ["--split", "valid", "--train"]
    for other in (texts, texts[::-1]):  # the first: --valid forgotten
        line = error([*words, *other], capsys)
        assert "that the model was trained on, got other" in line
    assert main.main([*words, *texts, *held]) == 0


def test_other_validation_files_in_the_same_folder_are_refused(
    texts, tmp_path, capsys
):
    folder = tmp_path / "run"
    assert train(texts, folder, "--valid", *texts) == 0
    assert train(texts, folder, "--valid", *texts[::-1]) == 1
    line = capsys.readouterr().err.splitlines()[-1]
    assert "got another: valid_pairs was" in line and line.count("was") == 1


def test_a_run_goes_on_that_lacks_a_newer_setting(texts, trained, capsys):
    path = trained / "config.json"
    content = json.loads(path.read_text())
    for group, name in (("model", "pre_norm"), ("training", "clip")):
        del content[group][name]
    path.write_text(json.dumps(content))
    assert train(texts, trained) == 0
    assert train(texts, trained, "--clip", "2") == 1
    assert "clip was 1.0, is now 2.0;" in capsys.readouterr().err


def test_own_files_are_read_as_the_model_reads(tmp_path, capsys):
    """What `translate` writes is an exact match in `evaluate`."""
    model = str(pretrained.find_model("fr"))
    source, target = tmp_path / "a", tmp_path / "b"
    source.write_text("The dog slept.\nThe man saw a Cat. The dog sleeps.\n")
    words = ["--checkpoint", model, "--beam", "1"]
    files = ["--file", str(source), "--output", str(target)]
    assert main.main(["translate", *words, *files]) == 0
    capsys.readouterr()
    both = ["--files", str(source), str(target)]
    assert main.main(["evaluate", *words, *both]) == 0
    assert "exact match        100.00" in capsys.readouterr().out


def scores(trained, files, capsys, *more):
    """Return what `evaluate` says of two files, and its scores."""
    words = ["evaluate", "--checkpoint", str(trained), "--beam", "1"]
    assert main.main([*words, "--files", *map(str, files), *more]) == 0
    done = capsys.readouterr()
    return done.err, done.out.splitlines()


def two_files(folder, source, target):
    """Write the lines of both sides; return the paths."""
    paths = [folder / "source", folder / "target"]
    for path, lines in zip(paths, (source, target), strict=True):
        path.write_text("\n".join(lines) + "\n")
    return paths


def test_an_empty_side_counts_as_in_sacrebleu(tmp_path, capsys):
    model = pretrained.find_model("fr")
    source = ["The dog is hungry.", "Can you swim?", "", "", "The dog sleeps."]
    wanted = ["Le chien a faim.", "", "Le chat dort.", "", "Le chien dort."]
    files = two_files(tmp_path, source, wanted)
    said, shown = scores(model, files, capsys)
    assert "left out 1 line(s) that are empty on both sides" in said
    assert "2 of 4 pairs have one empty side" in said
    assert f"lines 2, 3 of {files[0]} and {files[1]}" in said
    assert shown[0].startswith("4 sentences in")
    written = ["Le chien a faim.", "Est-ce que tu peux nager ?", "", ""]
    written.append("Le chien dort.")
    score, _ = metrics.bleu(written, wanted)  # of all lines, as they stand
    assert 0 < score < 100
    assert f"BLEU               {score:6.2f}" in shown[1]
    assert "exact match         50.00" in shown[-1]


def test_whole_pairs_are_scored_without_a_word(tmp_path, capsys):
    files = two_files(tmp_path, ["The dog is hungry."], ["Le chien a faim."])
    said, shown = scores(pretrained.find_model("fr"), files, capsys)
    assert said == "" and "exact match        100.00" in shown[-1]


def test_test_pairs_that_were_trained_on_are_said(
    texts, trained, tmp_path, capsys
):
    files = two_files(tmp_path, ["a dog", "a a a"], ["un chien", "un un"])
    said, _ = scores(trained, files, capsys, "--train", *texts)
    assert "warning: 1 of 2 test pairs stand in the training text" in said
    assert scores(trained, files, capsys)[0] == ""


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--split", "valid"], "expected --split or --files, got both"),
        (["--data-dir", "x"], "expected --data-dir with the data multi30k"),
        (["--valid", "a", "b"], "expected --train SOURCE TARGET"),
    ],
)
def test_what_files_cannot_go_with_is_refused(
    texts, trained, more, message, capsys
):
    words = ["evaluate", "--checkpoint", str(trained), "--files", *texts]
    assert message in error([*words, *more], capsys)


def test_accents_and_what_is_invisible_change_no_translation(
    book, tmp_path, capsys
):
    typed = tmp_path / "typed"
    typed.write_text("\u200bI am a stu\xaddent.\n\u2066Can\u2069 you swim?\n")
    words = [*book, "--beam", "1"]
    assert main.main([*words, "--file", str(typed)]) == 0
    done = capsys.readouterr()
    assert done.out == "Je suis étudiant.\nEst-ce que tu peux nager ?\n"
    assert done.err == ""
    wanted = ["Je suis e\u0301tudiant.", "Est-ce que tu peux\u200b nager ?"]
    files = two_files(tmp_path, typed.read_text().splitlines(), wanted)
    shown = scores(pretrained.find_model("fr"), files, capsys)[1]
    assert "exact match        100.00" in shown[-1]
    trained = pretrained.load("fr")
    assert trained.translate(["i am a stu\xaddent ."]) == [
        trained.translate(["i am a student ."])[0]
    ]


def test_an_unknown_word_shows_what_cannot_be_seen(book, capsys):
    assert main.main([*book, "--beam", "1", "Don\x92t sing."]) == 0
    assert "does not know: don<U+0092>t" in capsys.readouterr().err


class Output(io.TextIOWrapper):
    """A standard output that may be a terminal."""

    terminal = False

    def isatty(self):
        return self.terminal


@pytest.mark.parametrize(
    "encoding", ["ascii", "iso-8859-1", "cp1252", "cp949"]
)
def test_a_file_or_pipe_gets_utf_8(encoding, monkeypatch, capsys):
    out = Output(io.BytesIO(), encoding=encoding)
    monkeypatch.setattr("sys.stdout", out)
    words = ["data", "storybook", "--target", "ko", "--kind", "naming"]
    assert main.main(words) == 0
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert f"written in UTF-8, not in {encoding}; iconv" in said
    assert "이다." in out.buffer.getvalue().decode("utf-8")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_what_holds_every_text_is_left_alone(encoding, monkeypatch, capsys):
    out = Output(io.BytesIO(), encoding=encoding)
    monkeypatch.setattr("sys.stdout", out)
    main.set_output()
    print("너 \udce9")  # a name of a file may hold half a character
    assert capsys.readouterr().err == ""
    out.flush()
    assert "너 \\udce9" in out.buffer.getvalue().decode(encoding)


def test_a_terminal_shows_what_it_can(monkeypatch, capsys):
    out = Output(io.BytesIO(), encoding="iso-8859-1")
    out.terminal = True
    monkeypatch.setattr("sys.stdout", out)
    main.set_output()
    print("très cœur 너")
    out.flush()
    assert out.buffer.getvalue() == b"tr\xe8s c\\u0153ur \\ub108\n"
    assert "PYTHONIOENCODING=utf-8" in capsys.readouterr().err


def test_another_kind_of_output_is_left_alone(monkeypatch, capsys):
    for out in (io.StringIO(), None):
        monkeypatch.setattr("sys.stdout", out)
        main.set_output()
    assert capsys.readouterr().err == ""


def test_closed_streams_neither_fail_nor_lend_one_to_another(monkeypatch):
    """Else a note for a closed stderr would stand among the results."""
    names = ("stdin", "stdout", "stderr")
    with monkeypatch.context() as closed:
        for name in names:
            closed.setattr(sys, name, None)
        assert main.main(["data", "storybook"]) == 0
        assert main.main(["data", "files"]) == 1
        assert sys.stdin.buffer.read() == b""
        streams = [getattr(sys, name) for name in names]
    assert len({stream.fileno() for stream in streams}) == 3
    for stream in streams:
        stream.close()


def test_a_truncated_checkpoint_is_named_when_going_on(texts, trained, capsys):
    (trained / "model.safetensors").unlink()
    last = sorted(trained.glob("step-*"))[-1] / "training.safetensors"
    last.write_bytes(last.read_bytes()[:50])
    words = ["train", "--data", "files", "--train", *texts, *SMALL]
    words += ["--merges", "20", "--out", str(trained), "--steps", "10"]
    line = error([*words, "--save-every", "5"], capsys)
    assert "remove its folder to go on from the checkpoint before" in line


def test_a_failed_start_leaves_no_folder(texts, tmp_path, capsys):
    folder = tmp_path / "run"
    assert train(texts, folder, "--max-tokens", "1") == 1
    assert "training pairs of at most 0 tokens" in capsys.readouterr().err
    assert not folder.exists()


def test_a_path_below_a_file_is_named(texts, tmp_path, capsys):
    blocked = tmp_path / "blocked"
    blocked.write_text("")
    words = ["train", "--data", "files", "--train", *texts, *SMALL]
    words += ["--merges", "20", "--out", str(blocked / "run")]
    assert str(blocked) in error([*words, "--steps", "2"], capsys)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["train", "--source", "de"], "the storybook from en to fr or ko"),
        (["train", "--device", "tpu"], "--device cpu or cuda, got 'tpu'"),
        (["train", "--device", "mps"], "--device cpu or cuda, got 'mps'"),
        (["train", "--device", "meta"], "--device cpu or cuda, got 'meta'"),
        (["train", "--steps", "0"], "steps of at least 1, got 0"),
        (["train", "--heads", "3"], "divisible by num_heads"),
        (["train", "--no-attention"], "got it with the transformer"),
        (["train", "--model", "gru", "--heads", "2"], "--heads with the"),
        (["train", "--model", "rnn", "--d-ff", "2"], "--d-ff with the"),
    ],
)
def test_bad_options_are_named(words, message, texts, tmp_path, capsys):
    if "--source" not in words:  # not the storybook, which takes seconds
        words = [*words, "--data", "files", "--train", *texts]
    words = [*words, "--max-tokens", "1"]  # refused at once, if nothing else
    line = error([*words, "--out", str(tmp_path / "run")], capsys)
    assert message in line
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("bad", ["5000", "-5000", "nan", "inf", "much"])
def test_a_length_penalty_is_a_number_from_0_to_100(bad, book, capsys):
    with pytest.raises(SystemExit) as ended:
        main.main([*book, "A dog.", "--length-penalty", bad])
    assert ended.value.code == 2
    said = capsys.readouterr().err
    assert f"expected a number from 0 to 100, got '{bad}'" in said


def test_the_largest_length_penalty_is_fine(book, capsys):
    assert main.main([*book, "A dog sleeps.", "--length-penalty", "100"]) == 0


def test_bad_text_is_named(trained, monkeypatch, capsys):
    words = ["translate", "--checkpoint", str(trained)]
    assert "got empty input" in error([*words, ""], capsys)
    assert "got both" in error([*words, "a", "--file", "b"], capsys)
    long = "dog " * 3000
    assert "1 to 255 tokens, got" in error([*words, long], capsys)
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO()))
    assert "got empty input" in error(words, capsys)


@pytest.fixture(scope="module")
def book():
    return ["translate", "--checkpoint", str(pretrained.find_model("fr"))]


def test_one_line_in_one_line_out(book, capsys):
    words = [*book, "The dog is hungry. I am a student", "", "can you swim"]
    assert main.main(words) == 0
    shown = capsys.readouterr().out
    assert shown == (
        "Le chien a faim. Je suis étudiant.\n\nEst-ce que tu peux nager ?\n"
    )


def test_a_byte_order_mark_is_no_word(book, monkeypatch, capsys):
    data = io.BytesIO("\ufeffI am a student\n".encode())
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(data))
    assert main.main([*book, "--beam", "1"]) == 0
    assert capsys.readouterr().out == "Je suis étudiant.\n"


def test_an_unsure_line_is_marked(book, capsys):
    words = ["The dog is hungry.", "The the the the.", "The zebra sleeps."]
    assert main.main([*book, *words]) == 0
    done = capsys.readouterr()
    lines = [line.split("\t") for line in done.out.splitlines()]
    assert [line[1:] for line in lines] == [[], ["unsure"], ["unsure"]]
    assert "does not know: zebra" in done.err


def test_a_line_that_is_too_long_is_named(book, tmp_path, capsys):
    file = tmp_path / "a"
    file.write_text("A dog.\n\n" + "dog " * 200 + "\nA cat.\n")
    line = error([*book, "--file", str(file)], capsys)
    assert "line 3: expected a sentence of 1 to 63 tokens, got" in line


def test_two_hundred_words_are_refused_in_one_line(book, capsys):
    line = error([*book, "dog " * 200], capsys)
    assert "1 to 63 tokens, got 201" in line


def test_the_data_is_shown(capsys):
    assert main.main(["data", "storybook", "--kind", "naming"]) == 0
    assert capsys.readouterr().out.count("->") == 10
    assert main.main(["data", "storybook", "--words"]) == 0
    assert "animal nouns: animal, cat" in capsys.readouterr().out
    line = error(["data", "storybook", "--kind", "nouns"], capsys)
    assert "expected a kind of" in line and "'nouns'" in line


def test_data_without_kinds_says_so(texts, capsys):
    words = ["data", "files", "--train", *texts, "--kind", "all"]
    line = error(words, capsys)
    assert "data that knows its kinds, got files" in line


def test_every_command_explains_itself(capsys):
    for words in ([], ["train"], ["translate"], ["evaluate"], ["data"]):
        with pytest.raises(SystemExit) as ended:
            main.main([*words, "--help"])
        assert ended.value.code == 0
        said = " ".join(["usage: attnbook", *words])
        assert capsys.readouterr().out.startswith(said)


def test_every_setting_of_training_has_an_option(texts, tmp_path, capsys):
    with pytest.raises(SystemExit):
        main.main(["train", "--help"])
    said = capsys.readouterr().out
    for field in dataclasses.fields(TrainConfig):
        assert f"--{field.name.replace('_', '-')}" in said
    folder = tmp_path / "run"
    words = ["--schedule", "noam", "--smoothing", "0.2", "--clip", "0"]
    assert train(texts, folder, *words) == 0
    training = json.loads((folder / "config.json").read_text())["training"]
    assert training["schedule"] == "noam"
    assert (training["smoothing"], training["clip"]) == (0.2, 0.0)
    assert training["max_tokens"] == 256  # of this test; 4096 of the data
    assert training["warmup"] == 400  # of the data


def test_the_help_shows_the_defaults_of_the_data(capsys):
    with pytest.raises(SystemExit):
        main.main(["train", "--help"])
    said = " ".join(capsys.readouterr().out.split())
    assert re.search(
        r"by data: 4000 for [\w, ]*files, multi30k[\w, ]*; 1600 for storybook",
        said,
    )
    assert re.search(r"the peak \(default by data: 400 for [\w, ]*files", said)
    assert "200)" in said and "1400" not in said


def test_a_setting_that_is_true_or_false_has_two_options():
    @dataclasses.dataclass
    class Config:
        shiny: bool = setting(True, "whether it shines")

    parser = argparse.ArgumentParser()
    add_fields(parser, Config)
    for words, want in (([], {}), (["--no-shiny"], {"shiny": False})):
        assert read_fields(parser.parse_args(words), Config) == want


def test_a_translator_sorts_by_length_and_gives_the_order_back():
    seed_everything(0)
    words = vocabulary.WordVocabulary(["a", "b", "c", "d"])
    config = TransformerConfig(
        source_vocab=8,
        target_vocab=8,
        d_model=8,
        num_heads=2,
        d_ff=8,
        num_encoder_layers=1,
        num_decoder_layers=1,
        max_length=32,
    )
    model = Transformer(config)
    with torch.no_grad():
        for p in model.parameters():
            p.mul_(3)
    trained = translator.Translator(model, words, words)
    texts = ["a b c d a", "b", "c a", "d d d", "a"]
    together = trained.translate(texts, longest=12, batch=2)
    assert together == [trained.translate([t], longest=12)[0] for t in texts]
    for wrong, message in [
        ({"texts": ["a", ""]}, "1 to 31 tokens, got 0"),
        ({"texts": "abc"}, "iterable of texts, got one str"),
        ({"texts": []}, "at least one text, got none"),
        ({"texts": ["a", 3]}, "text as str, got int"),
        ({"longest": 0}, "longest output of 1 to 31 words, got 0"),
        ({"batch": 0}, "batch of at least 1, got 0"),
        ({"batch": -1}, "batch of at least 1, got -1"),
    ]:
        with pytest.raises(ValueError, match=message):
            trained.translate(**{"texts": texts} | wrong)


def test_unknown_kinds_and_fields_are_refused():
    with pytest.raises(ValueError, match="a model of .*got 'cnn'"):
        build_model("cnn", {})
    with pytest.raises(ValueError, match="fields of transformer, got"):
        build_model("transformer", {"width": 3})
    with pytest.raises(ValueError, match="got Linear"):
        name_kind(torch.nn.Linear(2, 2))
