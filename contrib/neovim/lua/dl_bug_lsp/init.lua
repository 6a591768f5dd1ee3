-- dl-bug-lsp in Neovim: starting the server, and what the :DlBug… commands do.
local clients = require('dl_bug_lsp.clients')
local config = require('dl_bug_lsp.config')
local lenses = require('dl_bug_lsp.lenses')
local places = require('dl_bug_lsp.places')

local M = {}

local group = vim.api.nvim_create_augroup('dl_bug_lsp', { clear = true })

-- Starts the server with every file of the types that it knows. `options` is a client's
-- configuration (cmd, settings, filetypes, …), all of it optional.
function M.setup(options)
  options = options or {}
  if vim.lsp.config and vim.lsp.enable then
    if next(options) then
      vim.lsp.config(config.name, options)
    end
    vim.lsp.enable(config.name)
    return
  end
  clients.options = options
  vim.api.nvim_create_autocmd('FileType', {
    group = group,
    pattern = options.filetypes or config.filetypes,
    callback = function(event)
      local root = config.root_of(vim.api.nvim_buf_get_name(event.buf))
      if root and vim.bo[event.buf].buftype == '' then
        vim.lsp.buf_attach_client(event.buf, clients.start(root))
      end
    end,
  })
end

-- Lenses: fetched when a server was attached, when it says that they changed, and after typing,
-- because Neovim takes them off edited lines.
function M.attached(buffer)
  M.refresh_lenses(buffer)
  vim.api.nvim_clear_autocmds({ group = group, buffer = buffer })
  vim.api.nvim_create_autocmd({ 'InsertLeave', 'BufWritePost' }, {
    group = group,
    buffer = buffer,
    callback = function() M.refresh_lenses(buffer) end,
  })
end

-- Fetches the lenses of a buffer, or of all that have a server.
function M.refresh_lenses(buffer)
  for _, one in ipairs(buffer and { buffer } or vim.api.nvim_list_bufs()) do
    for _, client in ipairs(clients.all(one)) do
      if vim.api.nvim_buf_is_loaded(one) and vim.lsp.buf_is_attached(one, client.id) then
        lenses.refresh(one, client)
      end
    end
  end
end

-- A log that is opened gets the links and symbols of the server that follows it.
function M.attach_log(buffer)
  local path = vim.loop.fs_realpath(vim.api.nvim_buf_get_name(buffer)) or ''
  local client = clients.around(path)
  if client then
    vim.lsp.buf_attach_client(buffer, client.id)
  end
end

local function told(report)
  if not report or #report.failures == 0 then
    clients.say('no failure was found in that text')
    return
  end
  local ids = {}
  for _, failure in ipairs(report.failures) do
    ids[failure.id] = true
  end
  places.quickfix(function(items)
    if #items == 0 then
      clients.say('a failure, but no suspicious line was found (:DlBugReport)')
      return
    end
    local first = items[1]
    local where = vim.fn.fnamemodify(first.filename, ':.') .. ':' .. first.lnum
    local count = #items == 1 and 'one suspicious place: ' or #items .. ' suspicious places, the first: '
    clients.say(('%s%s, %s (:DlBugNext, :copen)'):format(count, where, first.user_data))
  end, ids)
end

-- What :DlBugLocalize does: a range of lines, a file, a register (`@a`), else the clipboard.
function M.localize(command)
  local name = command.args
  if command.range > 0 then
    local lines = vim.api.nvim_buf_get_lines(0, command.line1 - 1, command.line2, false)
    M.localize_text(table.concat(lines, '\n'), 'selection')
  elseif name ~= '' and not name:match('^@.$') then
    local path = vim.fn.fnamemodify(vim.fn.expand(name), ':p')
    clients.execute('dlBug.localizeFile', { uri = vim.uri_from_fname(path) }, told)
  elseif name ~= '' then
    M.localize_text(vim.fn.getreg(name:sub(2)), 'register')
  else
    M.localize_text(places.clipboard(), 'clipboard')
  end
end

function M.localize_text(text, source)
  if not text:match('%S') then
    clients.say('nothing to localize: the ' .. source .. ' is empty', 'WARN')
    return
  end
  clients.execute('dlBug.localize', { text = text, source = source }, told)
end

-- Goes to the next ('dlBug.next') or previous place, from the one named, else the last one visited.
function M.go(command, named)
  clients.execute(command, named, function(place, client)
    if not place then
      clients.say('nothing is marked')
    elseif not place.shown then
      places.show(place, client)
    end
  end)
end

-- Puts aside the places of the cursor's line; with a bang, all of them.
function M.dismiss(command)
  if command.bang then
    clients.execute('dlBug.dismiss')
    return
  end
  places.at_cursor(function(here)
    if #here == 0 then
      clients.say('no suspicious place on this line; :DlBugDismiss! puts all aside')
    end
    for _, place in ipairs(here) do
      clients.execute('dlBug.dismiss', place)
    end
  end)
end

-- Calls `run` with the place that is named, else the cursor line's, else none.
local function with_place(named, run)
  if named then
    run(named)
  else
    places.at_cursor(function(here) run(here[1] or {}) end)
  end
end

-- Shows the report of the cursor's line, or the latest, as a page in a split.
function M.report(named)
  with_place(named, function(place)
    local wanted = { report = place.report, failure = place.failure, format = 'markdown' }
    clients.execute('dlBug.report', wanted, function(page)
      if page then
        places.page(page)
      else
        clients.say('nothing is marked')
      end
    end)
  end)
end

function M.failures()
  places.quickfix(function(items)
    if #items == 0 then
      clients.say('nothing is marked')
    else
      vim.cmd('copen')
    end
  end)
end

-- Opens the log at the failure, of a text that lay in no file what the server kept of it; after a
-- restart the report stands for that.
function M.log(named)
  with_place(named, function(place)
    clients.execute('dlBug.openLog', place, function(found, client)
      if not found then
        clients.say('nothing is marked')
      elseif found.uri then
        if not found.shown then
          places.show(found, client)
        end
        -- What was kept lies in no folder, so that nothing else attaches the server.
        vim.lsp.buf_attach_client(vim.uri_to_bufnr(found.uri), client.id)
      elseif not found.shown then
        M.report(place)
      end
    end)
  end)
end

return M
