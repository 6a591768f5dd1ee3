" :DlBugLocalize and :DlBugDismiss, to be used in a file that ALE checks with dl_bug_lsp.
command! -range -nargs=? -complete=file DlBugLocalize
\ call dl_bug_lsp#Localize(<range>, <line1>, <line2>, <q-args>)
command! -bar DlBugDismiss call dl_bug_lsp#DismissAll()
