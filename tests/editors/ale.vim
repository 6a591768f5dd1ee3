" A session in a real Vim with ALE and contrib/vim; see terminal.py.
"   vim -T dumb --not-a-term -n -u INIT -S ale.vim train.py
let s:out = []

function! s:Shown() abort
  let l:found = []
  for l:info in getbufinfo({'buflisted': 1})
    for l:one in get(get(g:ale_buffer_info, l:info.bufnr, {}), 'loclist', [])
      call add(l:found, printf('%s:%d %s', fnamemodify(l:info.name, ':t'), l:one.lnum,
      \ matchstr(get(l:one, 'detail', l:one.text), 'place \zs\d\+')))
    endfor
  endfor
  return join(sort(l:found), ', ')
endfunction

function! s:End(code) abort
  call writefile(s:out, $REPORT)
  execute a:code ? 'cquit!' : 'qall!'
endfunction

function! s:Check(what, condition) abort
  let l:begin = reltime()
  while !eval(a:condition)
    if reltimefloat(reltime(l:begin)) > 15
      let s:out += ['FAILED ' . a:what, '  shown: ' . s:Shown(), '  here: ' . expand('%:t') . ':' . line('.')]
      let s:out += split(execute('messages'), "\n")
      call s:End(1)
    endif
    sleep 10m
  endwhile
  call add(s:out, printf('ok %-58s %5d ms', a:what, float2nr(1000 * reltimefloat(reltime(l:begin)))))
endfunction

function! s:Run() abort
  call system($PYTHON . ' train.py > train.log 2>&1')
endfunction

call add(s:out, 'Vim ' . v:version . ' with ALE')
call ale#Queue(0)
call s:Check('a server starts with the first file', '!empty(ale#lsp#GetConnections()) && values(ale#lsp#GetConnections())[0].initialized')
silent edit meter.py
call ale#Queue(0)
call s:Run()
call s:Check('a run that fails marks the open file', 's:Shown() =~# "meter.py:10 1"')
call append(0, '# A comment.')
call ale#Queue(0)
call s:Check('marks move with edits', 's:Shown() =~# "meter.py:11 1"')
DlBugDismiss
call s:Check(':DlBugDismiss puts all aside', 's:Shown() ==# ""')
let @" = join(readfile('train.log'), "\n")
DlBugLocalize
call s:Check(':DlBugLocalize takes what was yanked', 's:Shown() =~# "meter.py:11 1"')
DlBugDismiss
call s:Check('which is put aside', 's:Shown() ==# ""')
DlBugLocalize train.log
call s:Check(':DlBugLocalize takes a file', 's:Shown() =~# "meter.py:11 1"')
silent undo
silent write
call setline(10, '        return self.running_mean')
silent write
DlBugDismiss
call s:Run()
call s:Check('a run that ends well leaves nothing', 's:Shown() ==# ""')
call s:End(0)
