/** The shaders that turn a decoded picture into sRGB. */

export const VERTEX = `#version 300 es
in vec2 corner;
out vec2 place;
// Turns the place on the canvas into a place in the picture.
uniform mat2 turn;
void main() {
  vec2 centred = corner - 0.5;
  place = turn * vec2(centred.x, -centred.y) + 0.5;
  gl_Position = vec4(corner * 2.0 - 1.0, 0.0, 1.0);
}`;

/** Constants of SMPTE ST 2084, of ARIB STD-B67, and of the tone curve in ITU-R BT.2390. */
const TRANSFER = `
const float M1 = 0.1593017578125;
const float M2 = 78.84375;
const float C1 = 0.8359375;
const float C2 = 18.8515625;
const float C3 = 18.6875;
// Brightest highlight of the film, and white of the screen, in nits.
const float PEAK = 1000.0;
const float WHITE = 203.0;

float pqOf(float nits) {
  float power = pow(clamp(nits / 10000.0, 0.0, 1.0), M1);
  return pow((C1 + C2 * power) / (1.0 + C3 * power), M2);
}
float nitsOf(float pq) {
  float power = pow(clamp(pq, 0.0, 1.0), 1.0 / M2);
  return 10000.0 * pow(max(power - C1, 0.0) / (C2 - C3 * power), 1.0 / M1);
}
float hlgScene(float value) {
  return value <= 0.5 ? value * value / 3.0 : (exp((value - 0.55991073) / 0.17883277) + 0.28466892) / 12.0;
}
vec3 hlgNits(vec3 value) {
  vec3 scene = vec3(hlgScene(value.r), hlgScene(value.g), hlgScene(value.b));
  float luminance = dot(scene, vec3(0.2627, 0.678, 0.0593));
  return PEAK * pow(max(luminance, 1e-6), 0.2) * scene;
}
// Keeps the shadows and the middle, and rolls the highlights off.
float toneMapped(float nits) {
  float top = pqOf(PEAK);
  float value = min(pqOf(nits) / top, 1.0);
  float limit = pqOf(WHITE) / top;
  float knee = 1.5 * limit - 0.5;
  if (value > knee) {
    float t = (value - knee) / (1.0 - knee);
    float t2 = t * t;
    float t3 = t2 * t;
    value = (2.0 * t3 - 3.0 * t2 + 1.0) * knee + (t3 - 2.0 * t2 + t) * (1.0 - knee)
      + (3.0 * t2 - 2.0 * t3) * limit;
  }
  return nitsOf(value * top) / WHITE;
}
vec3 sdrOf(vec3 nits) {
  float brightest = max(max(nits.r, nits.g), max(nits.b, 1e-4));
  return nits * (toneMapped(brightest) / brightest);
}`;

/** `SAMPLER` is `sampler2D` for bytes, and `usampler2D` for words. */
export const FRAGMENT = `#version 300 es
precision highp float;
precision highp int;
precision highp SAMPLER;
in vec2 place;
out vec4 colour;
uniform SAMPLER first;
uniform SAMPLER second;
uniform SAMPLER third;
uniform ivec4 sizes; // width and height of the first plane, and of the colour planes
uniform vec2 siting; // position of a colour sample, in samples
uniform int planes; // 1: gray, 3: planar, 4: one plane of RGBA
uniform float peak; // largest sample value
uniform vec4 levels; // scale and offset of brightness, scale and offset of colour
uniform vec4 matrix; // factors of red by V, green by U and V, blue by U
uniform int transfer; // 0: SDR, 1: PQ, 2: HLG
uniform bool wide; // primaries of BT.2020
uniform int lines; // 0: all, 1: both fields, blended, 2: the top field, 3: the bottom field
${TRANSFER}
vec4 texel(SAMPLER plane, ivec2 at, ivec2 size) {
  return vec4(texelFetch(plane, clamp(at, ivec2(0), size - 1), 0)) / UNIT;
}
vec4 inLine(SAMPLER plane, float x, float row, ivec2 size) {
  float left = floor(x - 0.5);
  ivec2 at = ivec2(left, row);
  return mix(texel(plane, at, size), texel(plane, at + ivec2(1, 0), size), x - 0.5 - left);
}
// Interpolates between lines; in a field, between those of this field.
vec4 smoothed(SAMPLER plane, vec2 at, ivec2 size) {
  float start = lines > 1 ? float(lines - 2) : 0.0;
  float distance = lines > 1 ? 2.0 : 1.0;
  float last = max(0.0, floor((float(size.y) - 1.0 - start) / distance));
  float row = (at.y - 0.5 - start) / distance;
  float upper = floor(row);
  vec2 rows = start + distance * clamp(vec2(upper, upper + 1.0), 0.0, last);
  return mix(inLine(plane, at.x, rows.x, size), inLine(plane, at.x, rows.y, size), row - upper);
}
vec4 brightness(vec2 at, ivec2 size) {
  vec4 middle = smoothed(first, at, size);
  if (lines != 1) return middle;
  vec4 above = smoothed(first, at - vec2(0.0, 1.0), size);
  vec4 below = smoothed(first, at + vec2(0.0, 1.0), size);
  return 0.5 * middle + 0.25 * (above + below);
}
vec3 decoded() {
  vec4 sample1 = brightness(place * vec2(sizes.xy), sizes.xy);
  if (planes == 4) return sample1.rgb / peak;
  float y = sample1.r / peak * levels.x + levels.y;
  if (planes == 1) return vec3(y);
  vec2 at = place * vec2(sizes.zw) + siting;
  float u = smoothed(second, at, sizes.zw).r / peak * levels.z + levels.w;
  float v = smoothed(third, at, sizes.zw).r / peak * levels.z + levels.w;
  return vec3(y + matrix.x * v, y + matrix.y * u + matrix.z * v, y + matrix.w * u);
}
vec3 narrowed(vec3 linear) {
  return mat3(1.660491, -0.124551, -0.018151, -0.587641, 1.1329, -0.100579, -0.07285, -0.008349, 1.11873) * linear;
}
void main() {
  vec3 value = clamp(decoded(), 0.0, 1.0);
  if (transfer == 1) value = sdrOf(vec3(nitsOf(value.r), nitsOf(value.g), nitsOf(value.b)));
  else if (transfer == 2) value = sdrOf(hlgNits(value));
  else if (wide) value = pow(value, vec3(2.4));
  if (wide) value = narrowed(value);
  if (wide || transfer != 0) value = pow(clamp(value, 0.0, 1.0), vec3(1.0 / 2.4));
  colour = vec4(value, 1.0);
}`;
