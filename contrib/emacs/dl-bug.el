;;; dl-bug.el --- Places that most likely made a training run fail, with eglot  -*- lexical-binding: t -*-

;; Version: 0.1
;; Package-Requires: ((emacs "28.1") (eglot "1.9"))
;; License: MIT

;;; Commentary:

;; (require 'dl-bug), then M-x eglot in a Python file.  The server follows the logs of the project
;; and marks suspicious lines when a run fails; the commands below do the rest.

;;; Code:

(when (< emacs-major-version 29) (package-initialize))
(require 'eglot)
(require 'project)
(require 'seq)
(require 'subr-x)

(defgroup dl-bug nil "Fault localization for deep learning." :group 'tools)

(defcustom dl-bug-command '("dl-bug-lsp" "server")
  "The command that starts the server." :type '(repeat string))

(defcustom dl-bug-modes '(python-mode python-ts-mode)
  "The modes whose files eglot gives to the server." :type '(repeat symbol))

(add-to-list 'eglot-server-programs
             (cons dl-bug-modes
                   (lambda (&rest _)
                     ;; Files that are not open show nothing: one line tells of a failure there.
                     (append dl-bug-command
                             '(:initializationOptions (:announce "M-x dl-bug-next"))))))

;; Without version control a project is known by its files.
(defun dl-bug-project (folder)
  "Return the project around FOLDER that a pyproject.toml or the like makes one."
  (when-let ((root (seq-some (lambda (name) (locate-dominating-file folder name))
                             '("pyproject.toml" "setup.py" "requirements.txt" ".dlbug"))))
    (cons 'transient (expand-file-name root))))
(add-hook 'project-find-functions #'dl-bug-project 90)



(defun dl-bug--server ()
  "Return the server of this buffer, else of any; start none."
  (or (and (eglot-current-server))
      (seq-find (lambda (server) (process-live-p (jsonrpc--process server)))
                (apply #'append (hash-table-values eglot--servers-by-project)))
      (user-error "Start the server first: M-x eglot in a file of the project")))

(defun dl-bug--ask (command &rest arguments)
  "Ask the server for COMMAND with ARGUMENTS, a property list."
  (jsonrpc-request (dl-bug--server) :workspace/executeCommand
                   (list :command command :arguments (vector (or arguments eglot--{})))
                   :timeout 60))

(defun dl-bug--places (&optional only)
  "Return all marked places, the best of each failure first; with ONLY, of the failures of these ids."
  (seq-mapcat
   (lambda (one)
     (seq-mapcat
      (lambda (failure)
        (mapcar (lambda (place)
                  (append (list :report (plist-get one :report)
                                :failure (plist-get failure :failure)
                                :doubt (plist-get failure :doubt)
                                :message (or (plist-get failure :message) (plist-get failure :category)))
                          place))
                (and (or (null only) (member (plist-get failure :failure) only))
                     (plist-get failure :places))))
      (plist-get one :failures)))
   (append (dl-bug--ask "dlBug.failures") nil)))

(defun dl-bug--line (place)
  "Return PLACE's line, counted from 1."
  (1+ (thread-first place (plist-get :range) (plist-get :start) (plist-get :line))))

(defun dl-bug--file (place)
  "Return the file that PLACE lies in."
  (eglot--uri-to-path (car (split-string (plist-get place :uri) "#"))))

(defun dl-bug--share (place)
  "Return PLACE's share in per cent, with the doubt there is of its report."
  (let ((doubt (or (plist-get place :doubt) ""))
        (score (plist-get place :score)))
    (concat (if (< score 0.01) "<1 %" (format "%.0f %%" (* 100 score)))
            (and (or (equal doubt "not sure")
                     (and (not (equal doubt "")) (eql 1 (plist-get place :suspect))))
                 (concat ", " doubt)))))

(defun dl-bug--visit (place)
  "Go to PLACE."
  (push-mark nil t)
  (find-file (dl-bug--file place))
  (goto-char (point-min))
  (forward-line (1- (dl-bug--line place)))
  (back-to-indentation))

(defun dl-bug--here ()
  "Return the places on this line."
  (let ((file (and buffer-file-name (file-truename buffer-file-name)))
        (line (line-number-at-pos nil t)))
    (seq-filter (lambda (place) (and (= line (dl-bug--line place))
                                     (equal file (file-truename (dl-bug--file place)))))
                (dl-bug--places))))

(defun dl-bug--tell (report)
  "Say in one line what REPORT holds."
  (let* ((ids (mapcar (lambda (failure) (plist-get failure :id)) (plist-get report :failures)))
         (places (and ids (dl-bug--places ids))))
    (cond ((null ids) (message "dl-bug: no failure was found in that text"))
          ((null places)
           (message "dl-bug: a failure, but no suspicious line was found (M-x dl-bug-report)"))
          (t (message "dl-bug: %d suspicious places, the first: %s:%d, %s (M-x dl-bug-next)"
                      (length places)
                      (file-name-nondirectory (dl-bug--file (car places)))
                      (dl-bug--line (car places))
                      (dl-bug--share (car places)))))))

;;;###autoload
(defun dl-bug-localize (text)
  "Localize the failure in the region, else in the latest kill."
  (interactive (list (if (use-region-p)
                         (buffer-substring-no-properties (region-beginning) (region-end))
                       (current-kill 0))))
  (dl-bug--tell (dl-bug--ask "dlBug.localize" :text text :source "emacs")))

;;;###autoload
(defun dl-bug-localize-file (file)
  "Localize the failure in FILE, a log."
  (interactive "fLog: ")
  (dl-bug--tell (dl-bug--ask "dlBug.localizeFile" :uri (eglot--path-to-uri (expand-file-name file)))))

(defun dl-bug--go (command)
  "Go where COMMAND leads."
  (let ((place (dl-bug--ask command)))
    (cond ((null place) (message "dl-bug: nothing is marked"))
          ((eq t (plist-get place :shown)))
          (t (dl-bug--visit place)))))

;;;###autoload
(defun dl-bug-next () "Go to the next suspicious place." (interactive) (dl-bug--go "dlBug.next"))
;;;###autoload
(defun dl-bug-previous () "Go to the place before." (interactive) (dl-bug--go "dlBug.previous"))

;;;###autoload
(defun dl-bug-dismiss (all)
  "Put aside the places of this line; with a prefix argument ALL of them."
  (interactive "P")
  (if all
      (dl-bug--ask "dlBug.dismiss")
    (dolist (place (or (dl-bug--here) (user-error "No suspicious place on this line")))
      (dl-bug--ask "dlBug.dismiss" :report (plist-get place :report)
                   :failure (plist-get place :failure) :suspect (plist-get place :suspect)))))

;;;###autoload
(defun dl-bug-report ()
  "Show the report of this line's failure, else the latest."
  (interactive)
  (let* ((here (car (dl-bug--here)))
         (page (apply #'dl-bug--ask "dlBug.report" :format "markdown"
                      (and here (list :report (plist-get here :report))))))
    (if (null page)
        (message "dl-bug: nothing is marked")
      (with-current-buffer (get-buffer-create "*dl-bug report*")
        (let ((inhibit-read-only t)) (erase-buffer) (insert page))
        (goto-char (point-min))
        (if (fboundp 'markdown-view-mode) (markdown-view-mode) (special-mode))
        (display-buffer (current-buffer))))))

;;;###autoload
(defun dl-bug-failures ()
  "List the suspicious places in a buffer of its own; `next-error' goes through them."
  (interactive)
  (let ((places (dl-bug--places)))
    (if (null places)
        (message "dl-bug: nothing is marked")
      (with-current-buffer (get-buffer-create "*dl-bug failures*")
        (let ((inhibit-read-only t))
          (erase-buffer)
          (dolist (place places)
            (insert (format "%s:%d: %d. %s %s\n" (dl-bug--file place) (dl-bug--line place)
                            (or (plist-get place :number) (plist-get place :suspect))
                            (dl-bug--share place)
                            (car (split-string (plist-get place :message) "\n"))))))
        (goto-char (point-min))
        (compilation-mode)
        (display-buffer (current-buffer))))))

;;;###autoload
(defun dl-bug-log ()
  "Open the log at the failure of this line, else the latest."
  (interactive)
  (let* ((here (car (dl-bug--here)))
         (found (apply #'dl-bug--ask "dlBug.openLog"
                       (and here (list :report (plist-get here :report)
                                       :failure (plist-get here :failure))))))
    (cond ((null found) (message "dl-bug: nothing is marked"))
          ((eq t (plist-get found :shown)))
          ((plist-get found :uri) (dl-bug--visit found))
          (t (dl-bug-report)))))

(provide 'dl-bug)
;;; dl-bug.el ends here
