" Description: marks of dl-bug-lsp: lines that most likely made a training run fail
call ale#Set('dl_bug_lsp_executable', 'dl-bug-lsp')
call dl_bug_lsp#Define('yaml')
