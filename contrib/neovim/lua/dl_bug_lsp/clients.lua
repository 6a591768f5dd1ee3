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

-- Starts the server of a folder, or takes the one that runs; returns its id.
function M.start(root)
  for _, client in ipairs(M.all()) do
    if client.config.root_dir == root then
      return client.id
    end
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
  end
  wanted.root_dir = root
  if not wanted.workspace_folders then
    wanted.workspace_folders = { { uri = vim.uri_from_fname(root), name = root } }
  end
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

return M
