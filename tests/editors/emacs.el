;; A session in a real Emacs with eglot and contrib/emacs/dl-bug.el; see terminal.py.
;;   emacs --batch -L CONTRIB -l emacs.el train.py      -*- lexical-binding: t -*-
(setq load-prefer-newer t)
(require 'dl-bug)
(require 'flymake)
(require 'python)
(setq eglot-sync-connect 20 eglot-events-buffer-size 0 eglot-autoreconnect 0
      make-backup-files nil create-lockfiles nil flymake-no-changes-timeout 0.1
      dl-bug-command (list (getenv "SERVER") "server"))

(defvar told nil)
(advice-add 'message :before (lambda (&rest a) (when (stringp (car a)) (push (apply #'format a) told))))

(defun out (&rest a) (princ (concat (mapconcat (lambda (x) (format "%s" x)) a " ") "\n")))
(defun here () (format "%s:%d" (buffer-name) (line-number-at-pos)))

(defun shown ()
  "Return the places shown in this buffer, as eglot hands them to flymake."
  (flymake-start)
  (sort (mapcar (lambda (d) (cons (line-number-at-pos (flymake-diagnostic-beg d))
                                  (flymake-diagnostic-text d)))
                (flymake-diagnostics))
        (lambda (a b) (< (car a) (car b)))))

(defun check (what is-so)
  (let ((begin (float-time)))
    (while (and (not (funcall is-so)) (< (- (float-time) begin) 15))
      (accept-process-output nil 0.02))
    (unless (funcall is-so)
      (out "FAILED" what)
      (out "  shown:" (shown))
      (out "  here:" (here))
      (out "  told:" told)
      (kill-emacs 1))
    (out (format "ok %-58s %5d ms" what (* 1000 (- (float-time) begin))))))

(defun run () (call-process-shell-command (concat (getenv "PYTHON") " train.py > train.log 2>&1")))
(defun marked-at (line) (seq-some (lambda (d) (and (= line (car d)) (string-match-p "place 1 of" (cdr d)))) (shown)))

(out "Emacs" emacs-version)
(find-file "train.py")
(python-mode)
(apply #'eglot (eglot--guess-contact))
(check "a server starts" #'eglot-current-server)
(check "for the project, without version control"
       (lambda () (equal (file-truename default-directory)
                         (file-truename (project-root (eglot--project (eglot-current-server)))))))
(check "nothing is shown before a failure" (lambda () (null (shown))))

(find-file "meter.py")
(python-mode)
(eglot--maybe-activate-editing-mode)
(run)
(check "a run that fails marks the open file" #'shown)
(check "and is told in one line, with its place and the way there"
       (lambda () (seq-some (lambda (words)
                              (string-match-p "run failed: AttributeError, see meter\\.py:10 (M-x dl-bug-next)" words))
                            told)))
(dl-bug-next)
(check "dl-bug-next goes to the first place" (lambda () (equal (here) "meter.py:10")))
(eglot--maybe-activate-editing-mode)
(check "whose file is marked" (lambda () (marked-at 10)))
(check "with its reasons" (lambda () (string-match-p "no attribute 'runing_mean'" (cdr (assoc 10 (shown))))))

(let ((hover (jsonrpc-request (eglot-current-server) :textDocument/hover (eglot--TextDocumentPositionParams))))
  (check "hover" (lambda () (string-match-p "suspicious place 1" (format "%s" hover)))))

(dl-bug-failures)
(check "dl-bug-failures lists the places"
       (lambda () (with-current-buffer "*dl-bug failures*" (looking-at ".*meter.py:10: 1\\. "))))
(dl-bug-report)
(check "dl-bug-report shows the page"
       (lambda () (with-current-buffer "*dl-bug report*" (looking-at "# Attribute Not Found"))))
(save-window-excursion
  (dl-bug-log)
  (check "dl-bug-log opens the log at the failure" (lambda () (equal (here) "train.log:1"))))
(set-buffer "meter.py")

(goto-char (point-min))
(insert "# A comment.\n")
(eglot--signal-textDocument/didChange)
(check "marks move with edits" (lambda () (marked-at 11)))

(goto-char (point-min))
(forward-line 10)
(back-to-indentation)
(let ((action (seq-find (lambda (a) (equal (plist-get a :title) "Change 'runing_mean' to 'running_mean'"))
                        (eglot-code-actions (line-beginning-position) (line-end-position) nil nil))))
  (check "the quick fix is offered" (lambda () action))
  (setq action (if (plist-get action :edit) action
                 (jsonrpc-request (eglot-current-server) :codeAction/resolve action)))
  (eglot--apply-workspace-edit (plist-get action :edit)))
(check "and mends the line" (lambda () (string-match-p "self.running_mean$" (thing-at-point 'line))))
(save-buffer)
(run)
(check "a run that ends well takes the marks back" (lambda () (null (shown))))

(goto-char (point-min))
(search-forward "return self.running_mean")
(replace-match "return self.runing_mean")
(save-buffer)
(run)
(check "the next failure is marked" (lambda () (marked-at 11)))
(dl-bug-dismiss nil)
(check "dl-bug-dismiss puts the line aside" (lambda () (and (not (marked-at 11)) (shown))))
(dl-bug-dismiss t)
(check "with a prefix all" (lambda () (null (shown))))

(kill-new (with-temp-buffer (insert-file-contents "train.log") (buffer-string)))
(deactivate-mark)
(call-interactively #'dl-bug-localize)
(check "dl-bug-localize takes the latest kill" (lambda () (marked-at 11)))
(check "and tells what it found" (lambda () (string-match-p "the first: meter.py:11" (mapconcat #'identity told "\n"))))
(dl-bug-dismiss t)
(dl-bug-localize-file "train.log")
(check "dl-bug-localize-file takes a log" (lambda () (marked-at 11)))

(let ((dead (eglot-current-server)))
  (delete-process (jsonrpc--process dead))
  (check "a server that was killed is gone" (lambda () (not (eq dead (eglot-current-server)))))
  (unless (eglot-current-server) (apply #'eglot (eglot--guess-contact)))
  (check "the next one shows the failure again" (lambda () (marked-at 11))))
(set-buffer-modified-p nil)
(eglot-shutdown (eglot-current-server))
