-- Suspicious places in buffers: under the cursor, as a quickfix list, as lenses; pages and jumps.
local clients = require('dl_bug_lsp.clients')

local M = {}

-- A share as the report prints it.
function M.percent(share)
  return share < 0.01 and '<1 %' or ('%d %%'):format(math.floor(share * 100 + 0.5))
end

-- The text of the clipboard; of the unnamed register where there is none (over ssh).
function M.clipboard()
  for _, name in ipairs({ '+', '*' }) do
    local ok, text = pcall(vim.fn.getreg, name)
    if ok and text:match('%S') then
      return text
    end
  end
  return vim.fn.getreg('"')
end

-- Calls `done` with what names the places on the cursor's line, as the server's commands take it.
-- The server is asked: diagnostics hold these names only in newer versions.
function M.at_cursor(done)
  local line = vim.api.nvim_win_get_cursor(0)[1] - 1
  local buffer = vim.api.nvim_get_current_buf()
  if vim.tbl_isempty(vim.diagnostic.get(buffer, { lnum = line })) then
    return done({})
  end
  clients.execute('dlBug.failures', nil, function(listed)
    local found = {}
    for _, one in ipairs(listed or {}) do
      for _, failure in ipairs(one.failures) do
        for _, place in ipairs(failure.places) do
          local here = place.range.start.line <= line and line <= place.range['end'].line
          if here and vim.uri_to_bufnr(place.uri) == buffer then
            table.insert(found, { report = one.report, failure = failure.failure, suspect = place.suspect })
          end
        end
      end
    end
    done(found)
  end)
end

-- The first place tells the failure, each place why it is suspected.
local function said(failure, place)
  local message = failure.message or failure.category
  local reason = place.reason or ''
  if reason == '' then
    return message
  end
  return place.suspect == 1 and ('%s — %s'):format(message, reason) or reason
end

-- A place's share with the doubt there is. That none of the places may be right is said of each.
local function share_words(failure, place)
  local doubted = failure.doubt == 'not sure' or (failure.doubt or '') ~= '' and place.suspect == 1
  return M.percent(place.score) .. (doubted and ', ' .. failure.doubt or '')
end

local function item(failure, place)
  local share = share_words(failure, place)
  return {
    filename = vim.uri_to_fname((place.uri:gsub('#.*$', ''))),
    lnum = place.range.start.line + 1,
    col = place.range.start.character + 1,
    type = place.suspect == 1 and 'W' or 'I',
    text = ('%d. %s %s'):format(place.number or place.suspect, share, said(failure, place)),
    user_data = share,
  }
end

-- Makes the quickfix list of all places, or of the failures whose ids are keys of `only`;
-- `done(items)` is called after it.
function M.quickfix(done, only)
  clients.execute('dlBug.failures', nil, function(listed)
    local items = {}
    for _, one in ipairs(listed or {}) do
      for _, failure in ipairs(one.failures) do
        for _, place in ipairs((not only or only[failure.failure]) and failure.places or {}) do
          table.insert(items, item(failure, place))
        end
      end
    end
    if #items > 0 then
      vim.fn.setqflist({}, ' ', { title = 'Suspicious places', items = items })
    end
    done(items)
  end)
end

-- Shows a place that the server could not show itself.
function M.show(place, client)
  local at = { uri = place.uri, range = place.range }
  if vim.lsp.util.show_document then
    vim.lsp.util.show_document(at, client.offset_encoding, { focus = true })
  else
    vim.lsp.util.jump_to_location(at, client.offset_encoding)
  end
end

-- Shows a Markdown page in a split of its own, `q` closes it.
function M.page(text)
  local buffer = vim.api.nvim_create_buf(false, true)
  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, vim.split(text, '\n', { plain = true }))
  vim.bo[buffer].bufhidden = 'wipe'
  vim.bo[buffer].modifiable = false
  vim.cmd('split')
  vim.api.nvim_win_set_buf(0, buffer)
  vim.bo[buffer].filetype = 'markdown'
  vim.api.nvim_buf_set_keymap(buffer, 'n', 'q', '<Cmd>close<CR>', { noremap = true })
end

-- Goes to the file that a log's frame under the cursor names, through the log's links.
function M.follow()
  local buffer, cursor = vim.api.nvim_get_current_buf(), vim.api.nvim_win_get_cursor(0)
  local client = clients.all(buffer)[1]
  if not client or not vim.lsp.buf_is_attached(buffer, client.id) then
    clients.say('no server is attached to this buffer')
    return
  end
  local params = { textDocument = vim.lsp.util.make_text_document_params(buffer) }
  vim.lsp.buf_request(buffer, 'textDocument/documentLink', params, function(_, links)
    local best
    for _, link in ipairs(links or {}) do
      local from, to = link.range.start, link.range['end']
      if from.line == cursor[1] - 1 and link.target then
        local holds = from.character <= cursor[2] and cursor[2] < to.character
        best = (holds or not best) and link or best
      end
    end
    if not best then
      clients.say('no file of the workspace on this line')
      return
    end
    local line = tonumber(best.target:match('#L(%d+)') or 1)
    vim.cmd("normal! m'")
    vim.cmd('edit +' .. line .. ' ' .. vim.fn.fnameescape(vim.uri_to_fname((best.target:gsub('#.*$', '')))))
  end)
end

return M
