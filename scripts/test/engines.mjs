/**
 * Tests of the scripts that `--engines` runs again by another way or on another engine: what may differ there are functions, what they keep from
 * call to call, transactions, and time.
 */
import { findProgram } from '../../packages/edgeboard/processes.mjs';
import { locate } from '../../packages/edgeboard/setup/programs.mjs';
import { NODE } from '../project.mjs';

const VALKEY = { variable: 'VALKEY_SERVER', find: () => findProgram('valkey-server') };

/** Of tests/lua/. */
export const TESTS = [
  'clocks::turned::do_and_undo_over_three_boards_while_the_clock_turns',
  'clocks::turned::where_nothing_is_kept_the_rest_counts_in_another_transaction',
  'layouts::a_state_of_layout_2_is_taken_over',
  'libraries::a_lost_library_is_loaded_again',
  'libraries::a_server_is_asked_whether_it_keeps_a_memo',
  'libraries::each_script_is_a_function_and_readers_cannot_write',
  'record::ids::a_batch_may_come_in_parts',
  'record::ids::ids_count_once',
  'record::ids::sets_of_ids_expire',
  'record::plans::a_removed_member_does_not_count',
  'record::plans::a_reset_drops_them',
  'record::plans::who_changes_what_plans_follow_from_drops_them',
  'record::standing::seasons_are_counted_and_reported',
  'record::standing::the_first_batch_gets_dense_ranks',
  'seq::the_greatest_seq_holds',
];

/**
 * @param {{ rings: string[], words: string[], part: import('./options.mjs').Part, isOverCluster: boolean }} options
 * @returns {{ over: string, env: Record<string, string> }[]} ways and engines beside the one of the whole ring. Valkey is one where it is found
 */
export function enginesOf({ rings, words, part, isOverCluster }) {
  if (!rings.includes('lua') || words.length > 0 || part === 'quick' || isOverCluster) return [];
  const valkey = locate(VALKEY);
  return [
    { over: "Upstash's REST protocol", env: { EDGEBOARD_NODE: NODE } },
    { over: 'a server that keeps nothing between calls', env: { EDGEBOARD_NODE: NODE, EDGEBOARD_FORGETS: '1' } },
    ...(valkey ? [{ over: 'Valkey', env: { REDIS_SERVER: valkey } }] : []),
  ];
}
