/** Draws decoded pictures with WebGL 2. */
import type { Picture } from '../protocol';
import { conversionOf, shownSize, turnOf } from './colour';
import type { Field } from './fields';
import type { Renderer } from './renderer';
import { FRAGMENT, VERTEX } from './shader';

type Gl = WebGL2RenderingContext;

/** A program for samples of one size, with its uniforms by name. */
interface Program {
  readonly program: WebGLProgram;
  readonly at: ReadonlyMap<string, WebGLUniformLocation>;
}

const TRANSFERS = { sdr: 0, pq: 1, hlg: 2 } as const;
/** Values of `lines` in the shader. */
const LINES = { all: 0, blended: 1, top: 2, bottom: 3 } as const;
const NAMES = ['first', 'second', 'third'] as const;

export class WebGlRenderer implements Renderer {
  #bytes: Program | null = null;
  #words: Program | null = null;
  #textures: WebGLTexture[] = [];
  /** The picture in the textures. */
  #uploaded: Picture | null = null;
  readonly drawsFields = true;
  readonly #lost = (event: Event) => {
    // Without this, the browser never restores the context.
    event.preventDefault();
    this.#forget();
  };

  private constructor(
    private readonly canvas: HTMLCanvasElement,
    private readonly gl: Gl,
  ) {
    canvas.addEventListener('webglcontextlost', this.#lost);
  }

  /** Returns null if the browser has no WebGL 2. */
  static open(canvas: HTMLCanvasElement): WebGlRenderer | null {
    const gl = canvas.getContext('webgl2', { alpha: false, antialias: false, depth: false, stencil: false });
    return gl ? new WebGlRenderer(canvas, gl) : null;
  }

  draw(picture: Picture, field?: Field): boolean {
    const { gl, canvas } = this;
    if (gl.isContextLost()) return false;
    const { width, height } = shownSize(picture);
    if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
    gl.viewport(0, 0, width, height);
    const used = picture.depth > 8 ? (this.#words ??= build(gl, true)) : (this.#bytes ??= build(gl, false));
    gl.useProgram(used.program);
    // The second field is in the textures with the first one.
    if (picture !== this.#uploaded) this.#upload(picture);
    this.#uploaded = picture;
    setUniforms(gl, used.at, picture, field);
    gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
    return true;
  }

  close(): void {
    this.canvas.removeEventListener('webglcontextlost', this.#lost);
    const { gl } = this;
    for (const texture of this.#textures) gl.deleteTexture(texture);
    for (const used of [this.#bytes, this.#words]) if (used) gl.deleteProgram(used.program);
    this.#forget();
  }

  #forget(): void {
    this.#textures = [];
    this.#uploaded = null;
    this.#bytes = null;
    this.#words = null;
  }

  #upload({ planes, layout, depth }: Picture): void {
    const { gl } = this;
    const isRgba = layout === 'rgba';
    const size = (isRgba ? 4 : 1) * (depth > 8 ? 2 : 1);
    gl.pixelStorei(gl.UNPACK_ALIGNMENT, 1);
    for (const [at, { data, stride, width, height }] of planes.entries()) {
      gl.activeTexture(gl.TEXTURE0 + at);
      gl.bindTexture(gl.TEXTURE_2D, (this.#textures[at] ??= texture(gl)));
      gl.pixelStorei(gl.UNPACK_ROW_LENGTH, Math.floor(stride / size));
      const [internal, format] = formatOf(gl, isRgba, depth > 8);
      const type = depth > 8 ? gl.UNSIGNED_SHORT : gl.UNSIGNED_BYTE;
      const samples = depth > 8 ? new Uint16Array(data) : new Uint8Array(data);
      gl.texImage2D(gl.TEXTURE_2D, 0, internal, width, height, 0, format, type, samples);
    }
  }
}

function formatOf(gl: Gl, isRgba: boolean, isWords: boolean): readonly [number, number] {
  if (isWords) return isRgba ? [gl.RGBA16UI, gl.RGBA_INTEGER] : [gl.R16UI, gl.RED_INTEGER];
  return isRgba ? [gl.RGBA8, gl.RGBA] : [gl.R8, gl.RED];
}

/** The shader interpolates by itself: textures of words cannot be filtered. */
function texture(gl: Gl): WebGLTexture {
  const made = gl.createTexture();
  gl.bindTexture(gl.TEXTURE_2D, made);
  for (const name of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER])
    gl.texParameteri(gl.TEXTURE_2D, name, gl.NEAREST);
  for (const name of [gl.TEXTURE_WRAP_S, gl.TEXTURE_WRAP_T])
    gl.texParameteri(gl.TEXTURE_2D, name, gl.CLAMP_TO_EDGE);
  return made;
}

function build(gl: Gl, isWords: boolean): Program {
  const fragment = FRAGMENT.replaceAll('SAMPLER', isWords ? 'usampler2D' : 'sampler2D').replaceAll(
    'UNIT',
    // Textures of bytes return values up to 1, textures of words return the words.
    isWords ? '1.0' : '(1.0 / 255.0)',
  );
  const program = gl.createProgram();
  for (const [type, source] of [
    [gl.VERTEX_SHADER, VERTEX],
    [gl.FRAGMENT_SHADER, fragment],
  ] as const) {
    const shader = gl.createShader(type);
    if (!shader) break;
    gl.shaderSource(shader, source);
    gl.compileShader(shader);
    gl.attachShader(program, shader);
    gl.deleteShader(shader);
  }
  gl.bindAttribLocation(program, 0, 'corner');
  gl.linkProgram(program);
  if (!gl.getProgramParameter(program, gl.LINK_STATUS) && !gl.isContextLost())
    throw new Error(`the shader does not compile: ${gl.getProgramInfoLog(program)}`);
  gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
  gl.bufferData(gl.ARRAY_BUFFER, new Float32Array([0, 0, 1, 0, 0, 1, 1, 1]), gl.STATIC_DRAW);
  gl.enableVertexAttribArray(0);
  gl.vertexAttribPointer(0, 2, gl.FLOAT, false, 0, 0);
  return { program, at: uniforms(gl, program) };
}

function uniforms(gl: Gl, program: WebGLProgram): ReadonlyMap<string, WebGLUniformLocation> {
  const found = new Map<string, WebGLUniformLocation>();
  const count = gl.getProgramParameter(program, gl.ACTIVE_UNIFORMS) as number;
  for (let index = 0; index < count; index += 1) {
    const name = gl.getActiveUniform(program, index)?.name;
    const location = name === undefined ? null : gl.getUniformLocation(program, name);
    if (name !== undefined && location) found.set(name, location);
  }
  return found;
}

function setUniforms(gl: Gl, at: Program['at'], picture: Picture, field?: Field): void {
  const [first, second] = picture.planes;
  if (!first) return;
  const place = (name: string) => at.get(name) ?? null;
  const { matrix, levels, peak } = conversionOf(picture);
  const colour = second ?? first;
  for (const [unit, name] of NAMES.entries()) gl.uniform1i(place(name), unit);
  gl.uniform4i(place('sizes'), first.width, first.height, colour.width, colour.height);
  // MPEG-2 and later: a colour sample is on the left of its two brightness samples.
  gl.uniform2f(place('siting'), colour.width < first.width ? 0.25 : 0, 0);
  gl.uniform1i(place('planes'), picture.layout === 'rgba' ? 4 : second ? 3 : 1);
  gl.uniform1f(place('peak'), peak);
  gl.uniform4fv(place('levels'), levels);
  gl.uniform4fv(place('matrix'), matrix);
  gl.uniformMatrix2fv(place('turn'), false, turnOf(picture.rotation));
  gl.uniform1i(place('transfer'), TRANSFERS[picture.transfer]);
  gl.uniform1i(place('wide'), picture.matrix === 'bt2020' && picture.layout === 'planar' ? 1 : 0);
  gl.uniform1i(place('lines'), LINES[field ?? (picture.interlaced === 'no' ? 'all' : 'blended')]);
}
