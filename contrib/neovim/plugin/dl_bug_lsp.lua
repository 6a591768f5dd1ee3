-- The :DlBug… commands, lenses and logs; the server itself is started by setup() or vim.lsp.enable.
if vim.g.loaded_dl_bug_lsp or vim.fn.has('nvim-0.7') == 0 then
  return
end
vim.g.loaded_dl_bug_lsp = 1

local function call(name)
  return function(...)
    return require('dl_bug_lsp')[name](...)
  end
end

local function define(name, run, options)
  vim.api.nvim_create_user_command(name, run, options)
end

define('DlBugLocalize', call('localize'), {
  range = true, nargs = '?', complete = 'file',
  desc = 'Localize the failure in a range, a file, a register (@a), or the clipboard',
})
define('DlBugNext', function() require('dl_bug_lsp').go('dlBug.next') end,
  { desc = 'Go to the next suspicious place' })
define('DlBugPrev', function() require('dl_bug_lsp').go('dlBug.previous') end,
  { desc = 'Go to the previous suspicious place' })
define('DlBugDismiss', call('dismiss'), { bang = true, desc = 'Put aside the places of this line; with !, all' })
define('DlBugReport', function() require('dl_bug_lsp').report() end, { desc = 'Show the report of a failure' })
define('DlBugFailures', call('failures'), { desc = 'List the suspicious places in the quickfix window' })
define('DlBugLog', function() require('dl_bug_lsp').log() end, { desc = 'Open the log at the failure' })
define('DlBugFollow', function() require('dl_bug_lsp.places').follow() end,
  { desc = 'In a log: go to the file of the frame under the cursor' })

local group = vim.api.nvim_create_augroup('dl_bug_lsp_plugin', { clear = true })

if vim.fn.has('nvim-0.8') == 1 then
  vim.api.nvim_create_autocmd('LspAttach', {
    group = group,
    callback = function(event)
      local client = vim.lsp.get_client_by_id(event.data.client_id)
      if client and client.name == 'dl_bug_lsp' then
        require('dl_bug_lsp').attached(event.buf)
      end
    end,
  })
end

vim.api.nvim_create_autocmd('BufReadPost', {
  group = group,
  pattern = { '*.log', '*.out', '*.err', '*/log/*', '*/logs/*', 'log.txt', 'output.txt', 'console.txt' },
  callback = function(event)
    if package.loaded['dl_bug_lsp.clients'] then
      require('dl_bug_lsp').attach_log(event.buf)
    end
  end,
})

-- What lenses and code actions name is done here, so that it also works in versions that cannot show
-- documents when the server asks for it. vim.lsp is loaded with the first server.
local commands = {
  ['dlBug.showSuspect'] = function(given) require('dl_bug_lsp').report(given) end,
  ['dlBug.report'] = function(given) require('dl_bug_lsp').report(given) end,
  ['dlBug.openLog'] = function(given) require('dl_bug_lsp').log(given) end,
  ['dlBug.next'] = function(given) require('dl_bug_lsp').go('dlBug.next', given) end,
  ['dlBug.previous'] = function(given) require('dl_bug_lsp').go('dlBug.previous', given) end,
}
for name, run in pairs(commands) do
  vim.lsp.commands[name] = function(command, context)
    run((command.arguments or {})[1])
    -- Neovim takes the lens that is run off its line, and puts it back for commands of the server only.
    local buffer = type(context) == 'table' and context.bufnr
    if buffer then
      vim.schedule(function() require('dl_bug_lsp').refresh_lenses(buffer) end)
    end
  end
end
