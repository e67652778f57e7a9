<?php
// A page whose answer is what the request asks for, behind views.php of docs/recipes/php.md.
header("Content-Type: {$_SERVER['HTTP_X_TYPE']}");
http_response_code((int) $_SERVER['HTTP_X_STATUS']);
