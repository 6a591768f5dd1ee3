-- The running servers: finding one, starting one, asking it; the same for Neovim 0.7 to 0.11.
local config = require('dl_bug_lsp.config')

local M = {}

-- What setup() was given for versions without vim.lsp.config.
M.options = {}

local is_new = vim.lsp.config ~= nil and vim.lsp.enable ~= nil

-- All running servers, those of the buffer first.
function M.all(buffer)
  local list = (vim.lsp.get_clients or vim.lsp.get_active_clients)()
  local here, others = {}, {}
  for _, client in ipairs(list) do
    if client.name == config.name then
      local attached = buffer and vim.lsp.buf_is_attached(buffer, client.id)
      table.insert(attached and here or others, client)
    end
  end
  return vim.list_extend(here, others)
end

-- The folders of each server, by its id: one server serves all of them.
local folders = {}

-- Opens a folder in a server that runs, unless it is open there.
local function open_folder(client, root)
  local open = folders[client.id]
  if not open then
    open = {}
    folders[client.id] = open
    for _, one in ipairs(client.workspace_folders or client.workspaceFolders or {}) do
      open[vim.uri_to_fname(one.uri)] = true
    end
  end
  if open[root] then
    return
  end
  open[root] = true
  local folder = { uri = vim.uri_from_fname(root), name = root }
  if client.workspace_folders then
    table.insert(client.workspace_folders, folder)
  end
  local function tell()
    local params = { event = { added = { folder }, removed = {} } }
    if is_new then
      client:notify('workspace/didChangeWorkspaceFolders', params)
    else
      client.notify('workspace/didChangeWorkspaceFolders', params)
    end
  end
  if client.initialized then
    tell()
  else
    M.once_ready(client, tell)
  end
end

-- Whether a running server is the one for a folder, in 0.11 asked by vim.lsp.start.
function M.reuses(client, wanted)
  if client.name ~= config.name then
    return false
  end
  if wanted.root_dir then
    open_folder(client, wanted.root_dir)
  end
  return true
end

-- Returns the server that has a path in one of its folders.
function M.around(path)
  for _, client in ipairs(M.all()) do
    for _, one in ipairs(client.workspace_folders or client.workspaceFolders or {}) do
      local root = vim.loop.fs_realpath(vim.uri_to_fname(one.uri))
      if root and vim.startswith(path, root .. '/') then
        return client
      end
    end
    for root in pairs(folders[client.id] or {}) do
      if vim.startswith(path, (vim.loop.fs_realpath(root) or root) .. '/') then
        return client
      end
    end
  end
end

-- Starts the server with a folder, or opens the folder in the one that runs; returns its id.
function M.start(root)
  local running = M.all()[1]
  if running then
    open_folder(running, root)
    return running.id
  end
  local wanted
  if is_new then
    wanted = vim.deepcopy(vim.lsp.config[config.name])
    wanted.name = config.name
  else
    wanted = vim.tbl_deep_extend('force', config.common(), M.options)
    local on_attach = wanted.on_attach
    wanted.on_attach = function(client, buffer)
      require('dl_bug_lsp').attached(buffer)
      if on_attach then
        on_attach(client, buffer)
      end
    end
    -- Old versions leave the marks of a server that died in files that are not open.
    wanted.on_exit = function(_, _, id)
      vim.schedule(function()
        vim.diagnostic.reset(vim.lsp.diagnostic.get_namespace(id))
      end)
    end
  end
  wanted.root_dir = root
  wanted.workspace_folders = wanted.workspace_folders or { { uri = vim.uri_from_fname(root), name = root } }
  if vim.lsp.start then
    return vim.lsp.start(wanted, { attach = false })
  end
  return vim.lsp.start_client(wanted)
end

-- The server for a buffer: its own, else any, else one that is started for the working folder.
function M.for_buffer(buffer)
  local client = M.all(buffer)[1]
  if client then
    return client
  end
  local root = config.root_of(vim.api.nvim_buf_get_name(buffer))
  local id = root and M.start(root)
  return id and vim.lsp.get_client_by_id(id)
end

-- Asks for a command; `done(result, client)` is called with the answer, errors are told in one line.
function M.execute(command, argument, done)
  local buffer = vim.api.nvim_get_current_buf()
  local client = M.for_buffer(buffer)
  if not client then
    M.say('the server could not be started; see :lua vim.cmd.edit(vim.lsp.get_log_path())', 'WARN')
    return
  end
  -- An empty Lua table would be sent as a list.
  local given = argument and next(argument) and argument or vim.empty_dict()
  local params = { command = command, arguments = { given } }
  local function answered(failed, result)
    if failed then
      M.say(failed.message, 'WARN')
    elseif done then
      done(result ~= vim.NIL and result or nil, client)
    end
  end
  local function ask()
    if is_new then
      client:request('workspace/executeCommand', params, answered, buffer)
    else
      client.request('workspace/executeCommand', params, answered, buffer)
    end
  end
  if client.initialized then
    ask()
  else
    M.once_ready(client, ask)
  end
end

-- Calls back when a server that was just started can be asked; gives up after ten seconds.
function M.once_ready(client, ready)
  local timer, left = vim.loop.new_timer(), 500
  timer:start(20, 20, vim.schedule_wrap(function()
    left = left - 1
    if timer:is_closing() or not (client.initialized or left == 0) then
      return
    end
    timer:close()
    if client.initialized then
      ready()
    else
      M.say('the server did not start', 'WARN')
    end
  end))
end

function M.say(words, level)
  vim.notify('dl-bug: ' .. words, vim.log.levels[level or 'INFO'])
end

-- A message of the server, cut so that nobody has to press Enter after it.
function M.say_briefly(words, kind)
  local line = words:gsub('%s+', ' ')
  local room = vim.v.echospace + vim.o.columns * math.max(vim.o.cmdheight - 1, 0) - #'dl-bug: '
  if vim.fn.strdisplaywidth(line) > room then
    local count = vim.fn.strchars(line)
    while count > 0 and vim.fn.strdisplaywidth(line) >= room do
      count = count - 1
      line = vim.fn.strcharpart(line, 0, count)
    end
    line = line .. '…'
  end
  M.say(line, ({ 'ERROR', 'WARN' })[kind])
end

return M
