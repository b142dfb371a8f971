use zed_extension_api::{self as zed, LanguageServerId, Result, Worktree};

struct Unslant;

impl zed::Extension for Unslant {
    fn new() -> Self {
        Unslant
    }

    fn language_server_command(&mut self, _: &LanguageServerId, worktree: &Worktree) -> Result<zed::Command> {
        let command = worktree.which("unslant").ok_or("unslant is not on the PATH")?;
        Ok(zed::Command { command, args: vec!["lsp".into()], env: vec![] })
    }
}

zed::register_extension!(Unslant);
