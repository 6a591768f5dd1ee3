-- What the server is started with, and for which files.
local M = {}

M.name = 'dl_bug_lsp'

-- A failure's cause may lie in any of them. Logs are attached by name, in init.lua.
M.filetypes = { 'python', 'yaml', 'json', 'jsonc', 'toml', 'sh', 'bash', 'cfg', 'csv', 'requirements' }

M.root_markers = { '.dlbug', '.git', 'pyproject.toml', 'setup.py', 'setup.cfg', 'requirements.txt' }

-- The nearest folder above a file that holds a marker; else the working folder if the file lies in
-- it, else the file's own. A home folder is never taken: it would be read as a whole.
function M.root_of(path)
  local cwd, home = vim.loop.cwd(), vim.loop.os_homedir()
  if path == '' then
    return cwd ~= home and cwd or nil
  end
  local own = vim.fn.fnamemodify(path, ':p:h')
  local at = own
  while at ~= home do
    for _, marker in ipairs(M.root_markers) do
      if vim.loop.fs_stat(at .. '/' .. marker) then
        return at
      end
    end
    local above = vim.fn.fnamemodify(at, ':h')
    if above == at then
      break
    end
    at = above
  end
  local below_cwd = vim.startswith(own .. '/', cwd .. '/') and cwd ~= home and cwd ~= '/'
  return below_cwd and cwd or own
end

-- Members of a client's configuration that all versions understand.
function M.common()
  local capabilities = vim.lsp.protocol.make_client_capabilities()
  capabilities.workspace.codeLens = { refreshSupport = true }
  return {
    name = M.name,
    cmd = { 'dl-bug-lsp', 'server' },
    capabilities = capabilities,
    init_options = { clientCommands = { 'dlBug.showSuspect' }, announce = ':DlBugNext' },
    handlers = {
      ['window/showMessage'] = function(_, params)
        require('dl_bug_lsp.clients').say_briefly(params.message, params.type)
      end,
      ['workspace/codeLens/refresh'] = function()
        require('dl_bug_lsp').refresh_lenses()
        return vim.NIL
      end,
    },
  }
end

-- The configuration for vim.lsp.config, 0.11 and later.
function M.base()
  local config = M.common()
  config.name = nil
  config.filetypes = M.filetypes
  config.reuse_client = function(client, wanted)
    return require('dl_bug_lsp.clients').reuses(client, wanted)
  end
  config.root_dir = function(buffer, on_dir)
    local root = M.root_of(vim.api.nvim_buf_get_name(buffer))
    if root and vim.bo[buffer].buftype == '' then
      on_dir(root)
    end
  end
  return config
end

return M
