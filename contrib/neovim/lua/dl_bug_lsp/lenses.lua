-- Lenses: fetched, resolved and then drawn at once. vim.lsp.codelens.refresh drops a wish that comes
-- while it still works on another, and in old versions never takes the last lens away.
local M = {}

local wishes = {}

local function is_empty(lenses)
  return lenses == nil or lenses == vim.NIL or next(lenses) == nil
end

local function clear(buffer, client)
  for name, space in pairs(vim.api.nvim_get_namespaces()) do
    if name:match('codelens:' .. client.id .. '$') then
      vim.api.nvim_buf_clear_namespace(buffer, space, 0, -1)
    end
  end
end

local function request(client, method, params, done, buffer)
  if vim.fn.has('nvim-0.11') == 1 then
    client:request(method, params, done, buffer)
  else
    client.request(method, params, done, buffer)
  end
end

local function resolved(client, lenses, buffer, done)
  local left = #lenses
  for at, lens in ipairs(lenses) do
    request(client, 'codeLens/resolve', lens, function(_, result)
      lenses[at] = result or lens
      left = left - 1
      if left == 0 then
        done()
      end
    end, buffer)
  end
end

-- Fetches and draws the lenses of a buffer; the latest wish wins.
function M.refresh(buffer, client)
  if vim.lsp.codelens.enable then
    vim.lsp.codelens.enable(true, { bufnr = buffer })
    return
  end
  wishes[buffer] = (wishes[buffer] or 0) + 1
  local wish = wishes[buffer]
  local params = { textDocument = vim.lsp.util.make_text_document_params(buffer) }
  local function is_latest()
    return wishes[buffer] == wish and vim.api.nvim_buf_is_loaded(buffer)
  end
  request(client, 'textDocument/codeLens', params, function(failed, lenses)
    if failed or not is_latest() then
      return
    end
    if is_empty(lenses) then
      vim.lsp.codelens.save({}, buffer, client.id)
      clear(buffer, client)
      return
    end
    resolved(client, lenses, buffer, function()
      if is_latest() then
        vim.lsp.codelens.save(lenses, buffer, client.id)
        clear(buffer, client)
        vim.lsp.codelens.display(lenses, buffer, client.id)
      end
    end)
  end, buffer)
end

return M
