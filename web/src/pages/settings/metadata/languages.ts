/** Languages that the metadata settings offer: those in which the large providers have texts. */
export const OFFERED: readonly string[] = (
  'ar bg bn ca cs cy da de el en es et eu fa fi fr ga gl he hi hr hu hy id is it ja ka ko lt lv mk ms nb ' +
  'nl nn pl pt pt-BR ro ru sk sl sq sr sv ta te th tr uk ur vi zh zh-TW'
).split(' ');
