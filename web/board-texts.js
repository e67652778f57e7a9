/** What `<edge-board>` says in other languages than English. */
export default {
  de: { new: 'neu', up: '{n} nach oben', down: '{n} nach unten', readers: '{n} lesen gerade', empty: 'Noch nichts' },
  fr: { new: 'nouveau', up: 'en hausse de {n}', down: 'en baisse de {n}', readers: '{n} en train de lire', empty: 'Rien pour le moment' },
  es: { new: 'nuevo', up: 'sube {n}', down: 'baja {n}', readers: '{n} leyendo ahora', empty: 'Todavía nada' },
  ja: { new: '新着', up: '{n} ランク上昇', down: '{n} ランク下降', readers: '{n} 人が閲覧中', empty: 'まだありません' },
  ar: { new: 'جديد', up: 'صعود {n}', down: 'هبوط {n}', readers: 'يقرأ الآن: {n}', empty: 'لا شيء بعد' },
};
