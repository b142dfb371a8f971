"""A folder that is checked may come with any git configuration: nothing of it runs.

Each trap is shown to be armed first, where a plain git command springs it: the file that it makes is there.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from itertools import count
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from unslant.cli.main import main
from unslant.core.errors import ConfigError
from unslant.workspace import git as asking
from unslant.workspace.changes import changed_files

OLD = "The dog ran home. The cat slept on a chair.\n"
NEW = "The dog ran home. The cat slept on a legendary chair.\n"

_NUMBER = count()


@dataclass(frozen=True)
class Folder:
    """A repository with one commit and one change that is not committed."""

    path: Path
    trap: Path
    """A program that leaves a mark and ends."""
    mark: Path

    @classmethod
    def make(cls, within: Path) -> Folder:
        path = within / f"folder{next(_NUMBER)}"
        path.mkdir()
        trap = path / "trap"
        mark = within / f"{path.name}.ran"
        trap.write_text(f"#!/bin/sh\necho \"$0 $*\" >> '{mark}'\nexit 1\n")
        trap.chmod(0o755)
        folder = cls(path, trap, mark)
        folder.git("init", "-q", "-b", "main")
        (path / "page.md").write_text(OLD)
        (path / "kept.md").write_text("This stays.\n")
        folder.git("add", "page.md", "kept.md")
        folder.git("commit", "-qm", "Begin")
        (path / "page.md").write_text(NEW)
        return folder

    def git(self, *arguments: str) -> None:
        subprocess.run(
            ["git", *arguments],
            cwd=self.path,
            check=False,
            capture_output=True,
            stdin=subprocess.DEVNULL,
            timeout=60,
        )

    def set(self, name: str, value: str = "") -> None:
        self.git("config", name, value or str(self.trap))

    def write(self, name: str, text: str) -> Path:
        file = self.path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        return file

    def sprung(self) -> bool:
        """Return whether a trap ran, and forget it."""
        ran = self.mark.exists()
        self.mark.unlink(missing_ok=True)
        return ran


@pytest.fixture(autouse=True)
def own_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the user's own settings are."""
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    for name, value in {"NAME": "A", "EMAIL": "a@example.org"}.items():
        monkeypatch.setenv(f"GIT_AUTHOR_{name}", value)
        monkeypatch.setenv(f"GIT_COMMITTER_{name}", value)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)


def _clean_filter(folder: Folder) -> None:
    folder.set("filter.evil.clean")
    folder.write(".gitattributes", "* filter=evil\n")


def _smudge_filter(folder: Folder) -> None:
    folder.set("filter.evil.smudge")
    folder.write(".gitattributes", "* filter=evil\n")


def _filter_process(folder: Folder) -> None:
    folder.set("filter.evil.process")
    folder.write(".gitattributes", "* filter=evil\n")


def _own_attributes(folder: Folder) -> None:
    folder.set("filter.evil.clean")
    folder.write(".git/info/attributes", "* filter=evil\n")


def _attributes_file(folder: Folder) -> None:
    folder.set("filter.evil.clean")
    folder.set("core.attributesFile", str(folder.write("elsewhere", "* filter=evil\n")))


def _monitor(folder: Folder) -> None:
    folder.set("core.fsmonitor")


def _included(folder: Folder) -> None:
    folder.set("include.path", str(folder.write("more", f"[core]\n\tfsmonitor = {folder.trap}\n")))


def _own_work_tree_settings(folder: Folder) -> None:
    folder.set("extensions.worktreeConfig", "true")
    folder.write(".git/config.worktree", f"[core]\n\tfsmonitor = {folder.trap}\n")


def _hooks(folder: Folder) -> None:
    (folder.path / ".git" / "hooks").mkdir(exist_ok=True)
    for name in (
        "post-index-change",
        "fsmonitor-watchman",
        "reference-transaction",
        "pre-auto-gc",
        "post-checkout",
    ):
        shutil.copy(folder.trap, folder.path / ".git" / "hooks" / name)


def _hooks_path(folder: Folder) -> None:
    (folder.path / "mine").mkdir()
    shutil.copy(folder.trap, folder.path / "mine" / "post-index-change")
    folder.set("core.hooksPath", str(folder.path / "mine"))


def _external_diff(folder: Folder) -> None:
    folder.set("diff.external")


def _diff_driver(folder: Folder) -> None:
    folder.set("diff.evil.command")
    folder.write(".gitattributes", "* diff=evil\n")


def _text_conversion(folder: Folder) -> None:
    folder.set("diff.evil.textconv")
    folder.write(".gitattributes", "* diff=evil\n")


def _merge_driver(folder: Folder) -> None:
    folder.set("merge.evil.driver", f"{folder.trap} %A")
    folder.write(".gitattributes", "* merge=evil\n")
    folder.git("switch", "-qc", "side")
    folder.git("commit", "-qam", "Side")
    folder.git("switch", "-q", "main")
    folder.write("page.md", "The dog stayed. The cat slept on a chair.\n")
    folder.git("commit", "-qam", "Main")


def _aliases(folder: Folder) -> None:
    for name in ("rev-parse", "ls-tree", "ls-files", "cat-file", "for-each-ref", "mine"):
        folder.set(f"alias.{name}", f"!{folder.trap}")


def _pagers(folder: Folder) -> None:
    folder.set("core.pager")
    for name in ("rev-parse", "ls-tree", "ls-files", "cat-file", "for-each-ref", "log"):
        folder.set(f"pager.{name}")


def _editors_and_prompts(folder: Folder) -> None:
    for name in ("core.editor", "sequence.editor", "core.askPass", "credential.helper", "core.gitProxy"):
        folder.set(name)


def _signatures(folder: Folder) -> None:
    folder.set("gpg.program")
    folder.set("log.showSignature", "true")
    folder.set("commit.gpgSign", "true")


def _served(folder: Folder) -> None:
    folder.set("uploadpack.packObjectsHook")
    folder.set("core.alternateRefsCommand")


def _missing_objects(folder: Folder, url: str) -> None:
    """A partial clone fetches what it lacks, by a command that its configuration names."""
    folder.set("remote.origin.url", url)
    folder.set("remote.origin.promisor", "true")
    folder.set("remote.origin.partialclonefilter", "blob:none")
    folder.set("remote.origin.uploadpack")
    folder.set("core.sshCommand")
    folder.set("protocol.ext.allow", "always")
    folder.set("protocol.allow", "always")
    folder.set("core.repositoryFormatVersion", "1")
    folder.set("extensions.partialClone", "origin")
    for file in (folder.path / ".git" / "objects").glob("??/*"):
        blob = subprocess.run(
            ["git", "cat-file", "-t", file.parent.name + file.name],
            cwd=folder.path,
            capture_output=True,
            check=True,
        )
        if blob.stdout == b"blob\n":
            file.unlink()


def _fetch_by_ext(folder: Folder) -> None:
    _missing_objects(folder, f"ext::{folder.trap} %S")


def _fetch_by_ssh(folder: Folder) -> None:
    _missing_objects(folder, "ssh://127.0.0.1/nowhere")


def _fetch_from_a_folder(folder: Folder) -> None:
    _missing_objects(folder, str(folder.path))


def _submodule(folder: Folder) -> None:
    inner = Folder.make(folder.path)
    for name in ("core.fsmonitor", "filter.evil.clean"):
        subprocess.run(["git", "config", name, str(folder.trap)], cwd=inner.path, check=True)
    (inner.path / ".gitattributes").write_text("* filter=evil\n")
    folder.git("add", inner.path.name)


def _elsewhere(folder: Folder) -> None:
    """The repository lies beside the folder, and a file says where."""
    folder.set("core.fsmonitor")
    (folder.path / ".git").rename(folder.path / "inside")
    folder.write(".git", "gitdir: inside\n")


TRAPS: dict[str, tuple[Callable[[Folder], None], tuple[str, ...] | None]] = {
    "clean filter": (_clean_filter, ("diff",)),
    "smudge filter": (_smudge_filter, ("checkout", "--", "kept.md", "page.md")),
    "filter process": (_filter_process, ("diff",)),
    "filter in info/attributes": (_own_attributes, ("diff",)),
    "filter in core.attributesFile": (_attributes_file, ("diff",)),
    "file-system monitor": (_monitor, ("status",)),
    "included settings": (_included, ("status",)),
    "settings of the work tree": (_own_work_tree_settings, ("status",)),
    "hooks": (_hooks, ("add", "page.md")),
    "path of hooks": (_hooks_path, ("add", "page.md")),
    "external diff": (_external_diff, ("diff",)),
    "diff driver": (_diff_driver, ("diff",)),
    "text conversion": (_text_conversion, ("diff",)),
    "merge driver": (_merge_driver, ("merge", "side")),
    "aliases": (_aliases, ("mine",)),
    "pagers": (_pagers, None),  # only a terminal springs them
    "editors and prompts": (_editors_and_prompts, ("commit", "-a")),
    "signatures": (_signatures, ("commit", "-S", "-am", "x")),
    "commands for clients": (_served, None),  # only a client that fetches from here does
    "missing objects, ext": (_fetch_by_ext, ("cat-file", "-p", "HEAD:page.md")),
    "missing objects, ssh": (_fetch_by_ssh, ("cat-file", "-p", "HEAD:page.md")),
    "missing objects, folder": (_fetch_from_a_folder, ("cat-file", "-p", "HEAD:page.md")),
    "submodule": (_submodule, ("status",)),
    "repository elsewhere": (_elsewhere, ("status",)),
}
LACKING = tuple(name for name in TRAPS if name.startswith("missing"))


@pytest.mark.parametrize("name", TRAPS)
def test_nothing_runs_and_the_change_is_found(tmp_path: Path, name: str) -> None:
    lay, springs = TRAPS[name]
    folder = Folder.make(tmp_path)
    lay(folder)
    folder.sprung()
    if name in LACKING:
        with pytest.raises(ConfigError, match=r"lacks the old content of 'page\.md'"):
            changed_files(folder.path, "HEAD")
    else:
        changes = changed_files(folder.path, "HEAD", lambda file: file in ("page.md", "kept.md"))
        assert folder.path / "kept.md" not in changes.old
        if name != "merge driver":
            assert changes.old == {folder.path / "page.md": OLD}
    with pytest.raises(ConfigError, match="no git revision"):
        changed_files(folder.path, "mian")
    assert not folder.sprung()
    if springs is not None:
        # no trap is laid in vain: a plain command of git runs it
        folder.git(*springs)
        assert folder.sprung()


@settings(max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(names=st.sets(st.sampled_from(sorted({*TRAPS} - {*LACKING, "merge driver"})), min_size=2))
def test_nothing_runs_whatever_is_combined(tmp_path: Path, names: set[str]) -> None:
    folder = Folder.make(tmp_path)
    # where the repository lies changes last
    for name in sorted(names, key=lambda name: name == "repository elsewhere"):
        TRAPS[name][0](folder)
    folder.sprung()
    changes = changed_files(folder.path, "HEAD", lambda file: file in ("page.md", "kept.md"))
    assert changes.old == {folder.path / "page.md": OLD}
    assert not folder.sprung()


def test_the_command_runs_nothing_either(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = Folder.make(tmp_path)
    for name in sorted({*TRAPS} - {*LACKING, "merge driver", "submodule", "repository elsewhere"}):
        TRAPS[name][0](folder)
    folder.sprung()
    monkeypatch.chdir(folder.path)
    done = CliRunner().invoke(main, ["check", "--since", "HEAD", "--no-cache", "--tier", "rules", "."])
    assert "legendary" in done.output
    fixed = CliRunner().invoke(
        main, ["fix", "--since", "HEAD", "--output-format", "rdjson", "--tier", "rules", "page.md"]
    )
    assert fixed.exit_code in (0, 1), fixed.output
    assert not folder.sprung()


def test_a_folder_that_looks_like_the_inside_of_a_repository_is_none(tmp_path: Path) -> None:
    folder = Folder.make(tmp_path)
    bare = folder.path / "bare"
    shutil.copytree(folder.path / ".git", bare)
    subprocess.run(
        ["git", "config", "-f", "config", "core.fsmonitor", str(folder.trap)], cwd=bare, check=True
    )
    subprocess.run(["git", "config", "-f", "config", "core.worktree", str(bare)], cwd=bare, check=True)
    subprocess.run(["git", "config", "-f", "config", "core.bare", "false"], cwd=bare, check=True)
    with pytest.raises(ConfigError, match="is not in one"):
        changed_files(bare, "HEAD")
    assert not folder.sprung()
    subprocess.run(["git", "status"], cwd=bare, check=False, capture_output=True)
    assert folder.sprung()


@pytest.mark.parametrize("first", [".", "", "bin"])
def test_git_is_not_looked_for_in_the_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, first: str
) -> None:
    folder = Folder.make(tmp_path)
    (folder.path / "bin").mkdir()
    for place in (folder.path, folder.path / "bin"):
        shutil.copy(folder.trap, place / "git")
    monkeypatch.chdir(folder.path)
    monkeypatch.setenv("PATH", first + os.pathsep + os.environ["PATH"])
    assert shutil.which("git") != shutil.which("git", path=os.environ["PATH"].partition(os.pathsep)[2])
    assert changed_files(folder.path, "HEAD", lambda file: file == "page.md").old
    assert not folder.sprung()


def test_a_work_tree_elsewhere_is_not_looked_at(tmp_path: Path) -> None:
    folder = Folder.make(tmp_path)
    other = tmp_path / "other"
    other.mkdir()
    folder.set("core.worktree", str(other))
    with pytest.raises(ConfigError, match=r"core\.worktree"):
        changed_files(folder.path, "HEAD")


def test_no_name_leads_out_of_the_repository(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "secret.md").write_text("Secret.\n")
    folder = Folder.make(tmp_path)
    folder.write("inner/secret.md", "Old.\n")
    folder.git("add", "inner")
    folder.git("commit", "-qm", "Inner")
    shutil.rmtree(folder.path / "inner")
    (folder.path / "inner").symlink_to(tmp_path / "out")
    changes = changed_files(folder.path, "HEAD", lambda file: file.endswith("secret.md"))
    assert dict(changes.old) == {}
    assert changes.gone == ("Old.\n",)


def test_a_pipe_in_place_of_a_file_of_git_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asking, "_SECONDS", 1.0)
    folder = Folder.make(tmp_path)
    (folder.path / ".git" / "config").unlink()
    os.mkfifo(folder.path / ".git" / "config")
    with pytest.raises(ConfigError, match="no answer in 1 seconds"):
        changed_files(folder.path, "HEAD")


def test_trees_within_trees_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ten trees of a few bytes that name ten billion files."""
    monkeypatch.setattr(asking, "_MAX_OUTPUT", 1 << 20)
    folder = Folder.make(tmp_path)

    def make(kind: str, given: bytes) -> str:
        done = subprocess.run(
            ["git", *kind.split()], cwd=folder.path, input=given, capture_output=True, check=True
        )
        return done.stdout.decode().strip()

    last = f"blob {make('hash-object -w --stdin', b'Much.')}"
    mode = "100644"
    for _ in range(10):
        tree = "".join(f"{mode} {last}\t{number}.md\n" for number in range(10))
        last, mode = f"tree {make('mktree', tree.encode())}", "040000"
    with pytest.raises(ConfigError, match="more files than can be read"):
        changed_files(folder.path, last.removeprefix("tree "))


def test_old_texts_that_are_too_large_are_not_read(tmp_path: Path) -> None:
    folder = Folder.make(tmp_path)
    folder.write("large.md", "Much. " * 1000)
    folder.git("add", "large.md")
    folder.git("commit", "-qm", "Large")
    folder.write("large.md", "Little.")
    (folder.path / "page.md").write_text(NEW)
    changes = changed_files(folder.path, "HEAD", lambda file: file == "large.md", max_bytes=5_999)
    assert changes.old == {folder.path / "large.md": None}
    changes = changed_files(folder.path, "HEAD", lambda file: file == "large.md", max_bytes=6_000)
    assert changes.old == {folder.path / "large.md": "Much. " * 1000}


def test_files_left_out_of_a_sparse_checkout_are_not_deleted(tmp_path: Path) -> None:
    folder = Folder.make(tmp_path)
    folder.write("far/away.md", "A long way off.\n")
    folder.git("add", "far")
    folder.git("commit", "-qm", "Far")
    folder.git("sparse-checkout", "set", "near")
    assert not (folder.path / "far").exists()
    assert changed_files(folder.path, "HEAD", lambda file: file != "trap").gone == ()


def test_a_repository_with_longer_hashes(tmp_path: Path) -> None:
    folder = Folder.make(tmp_path)
    shutil.rmtree(folder.path / ".git")
    (folder.path / "page.md").write_text(OLD)
    folder.git("init", "-q", "--object-format=sha256")
    folder.git("add", ".")
    folder.git("commit", "-qm", "Begin")
    assert changed_files(folder.path, "HEAD").old == {}
    (folder.path / "page.md").write_text(NEW)
    assert changed_files(folder.path, "HEAD").old == {folder.path / "page.md": OLD}
