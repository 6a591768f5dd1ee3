-- What vim.lsp.enable('dl_bug_lsp') starts (Neovim 0.11 and later).
return require('dl_bug_lsp.config').base()
