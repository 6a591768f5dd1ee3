-- :checkhealth dl_bug_lsp - what the plugin needs, and what of it is here.

local M = {}

local health = vim.health or require('health')
local say = {
  start = health.start or health.report_start,
  ok = health.ok or health.report_ok,
  info = health.info or health.report_info,
  warn = health.warn or health.report_warn,
  error = health.error or health.report_error,
}

local function command()
  local ok, given = pcall(function()
    return vim.lsp.config[require('dl_bug_lsp.config').name].cmd
  end)
  local options = require('dl_bug_lsp.clients').options
  return ok and given or options.cmd or require('dl_bug_lsp.config').common().cmd
end

local function server()
  local cmd = command()
  local program = type(cmd) == 'table' and cmd[1] or nil
  if program == nil then
    say.info('the server is started by a function of the configuration')
    return
  end
  if vim.fn.executable(program) ~= 1 then
    say.error(
      '`' .. program .. '` is not found',
      { 'pip install dl-bug-lsp', "or name it: require('dl_bug_lsp').setup({ cmd = { … } })" }
    )
    return
  end
  local version = vim.trim(vim.fn.system({ program, '--version' }))
  if vim.v.shell_error == 0 then
    say.ok(version .. ' at ' .. vim.fn.exepath(program))
  else
    say.error('`' .. program .. ' --version` failed: ' .. version)
  end
end

local function running()
  local clients = require('dl_bug_lsp.clients').all()
  if #clients == 0 then
    say.info('no server runs: it starts with the first file of a project')
  end
  for _, client in ipairs(clients) do
    say.ok('server ' .. client.id .. ' runs for ' .. (client.config.root_dir or 'no folder'))
  end
end

function M.check()
  say.start('dl-bug-lsp')
  local v = vim.version()
  local here = v.major .. '.' .. v.minor .. '.' .. v.patch
  if vim.fn.has('nvim-0.7') == 1 then
    say.ok('Neovim ' .. here)
  else
    say.error('Neovim ' .. here .. ' is older than 0.7')
  end
  server()
  running()
end

return M
