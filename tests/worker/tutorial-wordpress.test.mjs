/**
 * The tutorial of a move from WP Popular Posts, with the tables that WordPress and the plugin make, in a real MariaDB.
 */
import { startMariadb } from '../support/mariadb.mjs';
import { tutorial } from '../support/tutorial.mjs';

/** As WP Popular Posts 7 makes its tables; of those of WordPress the columns that matter here. */
const WORDPRESS = `
CREATE DATABASE wordpress; USE wordpress;
CREATE TABLE wp_posts (ID bigint unsigned PRIMARY KEY, post_title text, post_name varchar(200), post_status varchar(20), post_type varchar(20),
  post_date_gmt datetime);
CREATE TABLE wp_popularpostsdata (postid bigint(20) NOT NULL, day datetime NOT NULL, last_viewed datetime NOT NULL, pageviews bigint(20) DEFAULT 1,
  PRIMARY KEY (postid));
CREATE TABLE wp_popularpostssummary (ID bigint(20) NOT NULL AUTO_INCREMENT, postid bigint(20) NOT NULL, pageviews bigint(20) NOT NULL DEFAULT 1,
  view_date date NOT NULL, view_datetime datetime NOT NULL, PRIMARY KEY (ID));
INSERT INTO wp_posts VALUES (1, 'Paella & patience', 'paella', 'publish', 'post', '2025-03-01 08:00:00'),
  (2, 'Olives', 'olives', 'publish', 'post', '2026-11-01 08:00:00'), (3, 'A draft', 'draft', 'draft', 'post', '2026-11-02 08:00:00');
INSERT INTO wp_popularpostsdata VALUES (1, '2025-03-01 09:00:00', '2026-11-20 09:00:00', 1000), (2, '2026-11-01 09:00:00', '2026-11-19 09:00:00', 42);
INSERT INTO wp_popularpostssummary (postid, pageviews, view_date, view_datetime) VALUES
  (1, 3, '2026-11-18', '2026-11-18 10:00:00'), (1, 2, '2026-11-18', '2026-11-18 11:00:00'), (1, 4, '2026-11-20', '2026-11-20 09:00:00'),
  (2, 40, '2026-11-10', '2026-11-10 10:00:00'), (2, 2, '2026-11-19', '2026-11-19 09:00:00'), (3, 9, '2026-11-19', '2026-11-19 09:00:00');
`;

tutorial('docs/tutorials/wp-popular-posts.md', { start: () => startMariadb(WORDPRESS) });
