" dl-bug-lsp in Vim 8 and 9, through ALE.

let s:markers = ['.git', 'pyproject.toml', 'setup.py', 'requirements.txt', '.dlbug']

function! dl_bug_lsp#Define(filetype) abort
  call ale#linter#Define(a:filetype, {
  \ 'name': 'dl_bug_lsp',
  \ 'lsp': 'stdio',
  \ 'executable': {buffer -> ale#Var(buffer, 'dl_bug_lsp_executable')},
  \ 'command': '%e server',
  \ 'project_root': function('dl_bug_lsp#Root'),
  \ 'lsp_config': {buffer -> get(g:, 'dl_bug_lsp_settings', {})},
  \})
endfunction

" The nearest folder above that holds a marker, else the file's own.
function! dl_bug_lsp#Root(buffer) abort
  let l:own = fnamemodify(bufname(a:buffer), ':p:h')
  let l:at = l:own
  while 1
    for l:marker in s:markers
      if !empty(getftype(l:at . '/' . l:marker))
        return l:at
      endif
    endfor
    let l:above = fnamemodify(l:at, ':h')
    if l:above ==# l:at
      return l:own
    endif
    let l:at = l:above
  endwhile
endfunction

function! s:Send(command, argument) abort
  let l:message = ale#lsp#message#ExecuteCommand(a:command, [a:argument])
  call ale#lsp_linter#SendRequest(bufnr(''), 'dl_bug_lsp', l:message, {-> 0})
endfunction

" A range of lines, a file, else the clipboard (the unnamed register where there is none).
function! dl_bug_lsp#Localize(range, first, last, file) abort
  if a:range > 0
    let l:text = join(getline(a:first, a:last), "\n")
  elseif a:file !=# ''
    let l:uri = ale#util#ToURI(fnamemodify(expand(a:file), ':p'))
    return s:Send('dlBug.localizeFile', {'uri': l:uri})
  else
    let l:text = has('clipboard') && getreg('+') =~# '\S' ? getreg('+') : getreg('"')
  endif
  call s:Send('dlBug.localize', {'text': l:text, 'source': 'vim'})
endfunction

function! dl_bug_lsp#DismissAll() abort
  call s:Send('dlBug.dismiss', {'report': v:null})
endfunction
