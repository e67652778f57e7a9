/**
 * What `--help` prints.
 */

/** @param {string} call what the import is called by */
export const helpOf = (call) => `\
Usage: ${call} --site S --action A [OPTION…] FILE…
       ${call} --site S --events [OPTION…] FILE…

Sends a web server's access log (Common or Combined Log Format, lines of JSON or Cloudflare's
Logpush, plain or gzip, - is standard input) as events. The item is the path without the query string. The instant is the line's own.
The address and the user agent go along, so that a board's "once" tells visitors apart, in logs of
the last day; the service keeps neither. User names and referrers are not sent.

Assets (styles, scripts, images, fonts) and bots that say what they are do not count.

  --site S              the site, as the service's configuration names it
  --action A            the action that a line stands for, for instance view
  --events              the files hold events, not access logs: one on a line, as the service takes them,
                        with the instant "at"; or messages of many, as "forward" hands them on. They
                        are sent in their order. --action, --include and --exclude, --from and
                        --until choose among them
  --endpoint URL        the service (default EDGEBOARD_URL, else http://localhost:8787)
  --status LIST         only these statuses, for instance 2xx,304 (default: every status)
  --method LIST         only these methods, for instance GET,HEAD (default: every method)
  --include PATTERN     only paths that match; may be repeated, one match is enough
  --exclude PATTERN     no paths that match; may be repeated
  --from INSTANT        only lines of then or later, for instance 2026-11-20T12:00:00Z
  --until INSTANT       only lines of before then
  --assets              assets too
  --bots                bots too
  --no-visitors         send no addresses and user agents, for instance when the log has
                        anonymous addresses; then "once" does not apply
  --dry-run             send nothing; print the summary and the top paths
  --batch N             events per request, 1 to 100 (default 100)
  --concurrency N       requests at a time, 1 to 64 (default 4, with --events 1)
  --help                print this

WRITE_TOKEN             the service's token; from the environment only, needed unless --dry-run

A PATTERN is compared with the whole path, * stands for any run of characters, slashes too. Written
between slashes it is a JavaScript regular expression and may match anywhere in the path:
  --exclude '/static/*' --exclude '*.xml' --exclude '/\\.(pdf|zip)$/'

Running an import again is safe: each line has an id made of what it says, so a line counts once,
whether it comes from a copy, a compressed log, other batches or a log that has grown since. Lines
that read the same count separately within a file, not across files; to count such lines of
several servers, send their logs as one: cat a.log b.log | ${call} … -
The service remembers ids for the board's replay_window: importing again later counts again.

While the service or its Redis is out, the import keeps trying for five minutes.

Exit status: 0 done, also when lines were unparsable or refused; 1 stopped by a failure;
2 wrong usage; 3 nothing was counted; 130 interrupted.
`;
