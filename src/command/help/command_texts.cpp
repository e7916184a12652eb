#include "command/help/command_texts.hpp"

#include <algorithm>
#include <stdexcept>

namespace tessera::command {
namespace {

constexpr std::array kTexts = std::to_array<CommandText>({
    {"render",
     "Renders an escape-time fractal: the whole of it, a named view, or any place at any depth. "
     "The "
     "counts, and on request smooth values and distances, go to an HDF5 file, a picture to a PNG "
     "file. Every pixel has the same bits on each device and for any number of ranks and threads. "
     "An interrupted render resumes when the same command is run again.",
     {{{"a picture", "tessera render --view galaxies --png galaxies.png"},
       {"any place, as data and as a picture",
        "tessera render --center=-0.7436,0.1318 --width 1e-3 -o p.h5 --png p.png"},
       {"on four ranks, no longer than an hour",
        "mpirun -n 4 tessera render poster.toml --max-seconds 1h --report poster.json"}}},
     "color,plan,explore,views,verify,film"},
    {"reduce",
     "Computes statistics of an array that need not fit into memory. Every result is exact, "
     "rounded "
     "once, and has the same bits for any number of ranks and threads. --axis keeps some axes, "
     "--by "
     "makes groups, --map reduces an expression of several arrays.",
     {{{"of a whole array", "tessera reduce field.npy --op mean,std,minmax --nan skip"},
       {"along the first axis, to a file",
        "tessera reduce data.nc:/t --op mean,quantile=0.9 --axis 0 -o stats.h5"},
       {"one number for a script",
        "tessera reduce --map 'u*u + v*v' u=u.npy v=v.npy --op max -q"}}},
     "map,info"},
    {"map",
     "Evaluates an expression of arrays, element by element, on all cores and ranks, and writes "
     "the "
     "result to a file. The arrays need not fit into memory.",
     {{{"the length of a vector",
        "tessera map 'sqrt(u*u + v*v)' u=u.npy v=v.npy --output speed.npy"},
       {"numbers without a marker of missing ones",
        "tessera map 'where(x == -999, nan, x)' x=raw.h5:/x --output clean.h5:/x"},
       {"several arrays in one file", "tessera map 'c = a + b; d = a*b' a.npy b.npy -o cd.h5"}}},
     "reduce,info"},
    {"color",
     "Makes a PNG or TIFF of a rendered file, or of a part of it, without rendering again. Colours "
     "are averaged in linear light where the picture is smaller than the image. An EXR has the "
     "values, too, as Kalles Fraktaler, Fraktaler-3 and zoomasm read them.",
     {{{"in other colours", "tessera color galaxies.h5 ember.png --palette ember"},
       {"a part of it", "tessera color galaxies.h5 corner.png --region 0,0,640,360"},
       {"smaller, to another program", "tessera color poster.h5 - --scale 1/8 | display"}}},
     "render,palettes,film"},
    {"publish",
     "Makes a folder with a page of an image, which people look at without Tessera: on any web "
     "server, or in an object store. The pictures of "
     "all scales are files of a folder, or one PMTiles archive, of which browsers read what they "
     "show.",
     {{{"a page of a poster", "tessera publish poster.h5 poster-page"},
       {"in other colours", "tessera publish poster.h5 ember --palette ember"},
       {"a gigapixel in one file, for a server with range requests",
        "tessera publish big.h5 big-page --tiles file"}}},
     "serve,color"},
    {"film",
     "Makes a film of the images of render --frames. Frames between two images are scaled from "
     "both. A video or animation needs ffmpeg in PATH. A job file has both in one: the options of "
     "render, and a table [film].",
     {{{"the images, then a video of 30 s",
        "tessera render --view elephant --frames 40 -o zoom.h5"},
       {"", "tessera film zoom.h5 zoom.mp4 --seconds 30"},
       {"every frame as a picture", "tessera film zoom.h5 frame.png"}}},
     "render,color"},
    {"explore",
     "Shows any place of any formula in a browser and renders it while it is looked at, at any "
     "depth. The page writes the job of a poster of what it shows.",
     {{{"from the whole set on", "tessera explore"},
       {"from a named view on", "tessera explore --view seahorse"},
       {"a Julia set, with two threads",
        "tessera explore --formula julia:-0.8,0.156 --center 0,0 --threads 2"}}},
     "render,serve,views"},
    {"serve",
     "Shows rendered files in a browser, from the whole image to the pixel, also while a run is "
     "still writing them.",
     {{{"every image of this folder", "tessera serve"},
       {"one image, at a port of your choice", "tessera serve poster.h5 --listen 8080"},
       {"for other machines", "tessera serve poster.h5 --listen 0.0.0.0:8080"}}},
     "explore,render,color"},
    {"merge",
     "Combines the files of render --share into one image. It checks the bytes of each tile and "
     "copies them unchanged.",
     {{{"two shares of an image, rendered apart",
        "tessera render poster.toml --share 1/2 -o poster.share1.h5"},
       {"", "tessera merge poster.h5 poster.share1.h5.part poster.share2.h5.part"},
       {"all that match a pattern", "tessera merge poster.h5 poster.share*.h5.part"}}},
     "render,verify"},
    {"info",
     "Shows what a file contains and how it was made: images, finished or not, pictures of "
     "Tessera, "
     "and arrays. Of a picture it prints the command that makes it again.",
     {{{"of an image", "tessera info galaxies.h5"},
       {"how far a render is", "tessera info poster.h5.part"},
       {"the datasets of a file", "tessera info data.nc"}}},
     "verify,render,reduce"},
    {"verify",
     "Checks the checksum of every tile of a file, and recomputes a sample of its rows on another "
     "device. --repair renders damaged and missing tiles again.",
     {{{"a file", "tessera verify poster.h5"},
       {"a larger sample", "tessera verify poster.h5 --sample 1000"},
       {"a damaged file", "tessera verify poster.h5 --repair"}}},
     "info,render"},
    {"devices",
     "Lists the GPUs and cores that each rank sees, and why one is left out. It opens no GPU "
     "without --check.",
     {{{"of this machine", "tessera devices"},
       {"of the ranks of a run", "mpirun -n 2 --bind-to none tessera devices"},
       {"are they right, and how fast", "tessera devices --check"}}},
     "bench,render"},
    {"bench",
     "Measures pictures and arrays of growing sizes on each device, and finds the size above which "
     "a GPU is faster than the cores. Each result is checked.",
     {{{"about 30 s", "tessera bench"},
       {"with a plot", "tessera bench --plot bench.svg"},
       {"one size alone", "tessera bench --sizes 5000 --elements ''"}}},
     "devices,plan"},
    {"plan",
     "Estimates what a render will need: memory, disk space, and time, from a sample of its "
     "pixels. "
     "It takes every option of render and job files, and writes nothing.",
     {{{"a large image", "tessera plan --view elephant --size 131072x131072"},
       {"a job file, on the GPU", "tessera plan poster.toml --device gpu"},
       {"for a script", "tessera plan poster.toml --json"}}},
     "render,bench"},
    {"views",
     "Lists places worth a look, as options of render. A view has a formula, a centre, a width and "
     "iterations.",
     {{{"all of them", "tessera views"},
       {"one of them", "tessera render --view whirlpools --png whirlpools.png"},
       {"for a script", "tessera views --json"}}},
     "render,explore"},
    {"place",
     "Reads where a fractal was looked at: files of Kalles Fraktaler, Fraktaler-3, Imagina, "
     "FractalShark, XaoS, Fractint and Ultra Fractal, pictures that hold them, links, posts, and "
     "images of Tessera. Prints the command that renders it, and in one line what was understood. "
     "Another formula is refused.",
     {{{"of a file", "tessera place seahorse.kfr"},
       {"rendered at once", "tessera render --from seahorse.kfr --size 4k --png seahorse.png"},
       {"for another program", "tessera place galaxies.h5 --as kfr > galaxies.kfr"}}},
     "render,explore,find"},
    {"find",
     "Finds the nucleus of a minibrot near a point, or a Misiurewicz point: by Newton's method "
     "with "
     "as many digits as its size needs, and with a proof that there is one such point within the "
     "printed distance, of that period and no smaller one. Prints its size, its turn and the "
     "command that renders it. What is not proven, or farther away, is not printed.",
     {{{"near a point", "tessera find --near=-1.7685,0.00097,1e-4"},
       {"near a pixel of a picture", "tessera find --from seahorse.png --at 812,377"},
       {"where a spiral ends", "tessera find --near=-0.7746,0.1374,1e-3 --misiurewicz"}}},
     "render,place,explore"},
    {"palettes",
     "Lists the built-in palettes, and shows palettes as a picture.",
     {{{"in the terminal", "tessera palettes"},
       {"as a picture", "tessera palettes --preview palettes.png"},
       {"palettes of your own", "tessera palettes mine.map theirs.map --preview both.png"}}},
     "color,render"},
    {"clean",
     "Lists the files that interrupted runs left beside their outputs, and what each belongs to. "
     "Files that a run uses are not touched.",
     {{{"in this folder", "tessera clean"},
       {"in another one", "tessera clean /scratch/me"},
       {"remove them", "tessera clean --remove"}}},
     "info,render,reduce"},
});

constexpr std::array kFiles = std::to_array<Surrounding>({
    {"/etc/tessera.toml",
     "defaults of the site, such as memory = \"8G\"; if the program's own prefix has an "
     "etc/tessera.toml, that one is read instead"},
    {"~/.config/tessera.toml", "defaults of the user, which win over those of the site"},
    {"~/.local/state/tessera/pages", "the token and the ports of the user's pages"},
    {"FILE.part, FILE.part.log", "an unfinished output, from which the same command resumes"},
    {"tessera-reduce-JOB.checkpoint", "the state of an unfinished reduction"},
});

constexpr std::array kEnvironment = std::to_array<Surrounding>({
    {"TESSERA_OPTIONS",
     "defaults as on a command line, such as \"--memory 8G --palette ember\"; they win over files"},
    {"TESSERA_DEFAULTS", "none = the files of defaults are not read"},
    {"TESSERA_CHECK_HDF5", "1 = read everything through the HDF5 library too, and compare"},
});

}  // namespace

const CommandText* find_command_text(std::string_view command) {
  const auto* const found = std::ranges::find(kTexts, command, &CommandText::command);
  return found == kTexts.end() ? nullptr : found;
}

const CommandText& text_of_command(std::string_view command) {
  const CommandText* const found = find_command_text(command);
  if (found == nullptr) throw std::logic_error("a command without a text for its help");
  return *found;
}

std::span<const Surrounding> files_of_program() {
  return kFiles;
}

std::span<const Surrounding> environment_of_program() {
  return kEnvironment;
}

}  // namespace tessera::command
