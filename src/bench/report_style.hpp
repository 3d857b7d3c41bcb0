// The page's style sheet: light and dark, any width, and paper.
#pragma once

namespace halfbyte {

// Colours that people who see few of them can tell apart, in a light and a dark set.
inline constexpr const char* kReportStyle = R"css(
:root{color-scheme:light dark;--bg:#fff;--fg:#1b1f24;--soft:#59636e;--rule:#d5dae0;--panel:#f6f8fa;--bar:#cfe3f5;
--c0:#0067a8;--c1:#c74f00;--c2:#00805c;--c3:#b5508c;--c4:#a87400;--c5:#3c9bd8;--c6:#6a3d9a;--c7:#7a5c1e;--c8:#3d4650;--c9:#8c96a0}
@media (prefers-color-scheme:dark){:root{--bg:#14171b;--fg:#e4e8ec;--soft:#9aa5b1;--rule:#343b43;--panel:#1c2127;--bar:#23415a;
--c0:#56b4f0;--c1:#ff9150;--c2:#35c79c;--c3:#f08cc8;--c4:#f0b93c;--c5:#9ad6ff;--c6:#b79aee;--c7:#d1b377;--c8:#ccd3da;--c9:#8d98a4}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:1180px;padding:16px;background:var(--bg);color:var(--fg);font:15px/1.5 system-ui,sans-serif}
h1{font-size:1.45rem;line-height:1.25;margin:.2em 0}h2{font-size:1.15rem;margin:1.8em 0 .4em}h3{font-size:.95rem;margin:0 0 .3em}
p{margin:.4em 0;max-width:75ch}.soft{color:var(--soft)}
.tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(150px,1fr));gap:10px;margin:14px 0}
.tile{background:var(--panel);border-radius:8px;padding:10px 12px}.tile b{display:block;font-size:1.25rem}.tile span{color:var(--soft);font-size:.85rem}
.plots{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,340px),1fr));gap:18px}
figure{margin:0;background:var(--panel);border-radius:8px;padding:10px 12px;break-inside:avoid}figure.wide{max-width:600px}
svg{display:block;width:100%;height:auto}
.grid{stroke:var(--rule);stroke-width:1}.tick,.axis,.note{font-size:12px;fill:var(--soft)}.axis{font-size:12.5px}
.note{fill:var(--fg);stroke:var(--panel);stroke-width:3px;paint-order:stroke}
.line{fill:none;stroke-width:1.8;stroke-linejoin:round}.dot{stroke:var(--panel);stroke-width:.6}
.runs{stroke:var(--fg);stroke-width:8;stroke-linecap:round;opacity:.14}
.limit{stroke:var(--soft);stroke-dasharray:5 4;stroke-width:1.4}.roof{stroke:var(--fg);stroke-width:1.4}.line.other{stroke:var(--fg);stroke-dasharray:1.5 3.5}.dot.other{fill:var(--fg)}
.second{stroke-dasharray:8 3}.dot.second{stroke-dasharray:none}
.key{display:flex;flex-wrap:wrap;gap:2px 14px;font-size:.82rem;margin:.4em 0 0;padding:0;list-style:none}
.key svg{display:inline-block;width:24px;height:10px;vertical-align:middle;margin-right:5px}
.scroll{overflow-x:auto}table{border-collapse:collapse;font-size:.86rem;width:100%}
th,td{padding:3px 8px;text-align:left;white-space:nowrap;border-bottom:1px solid var(--rule)}th{font-weight:600;color:var(--soft)}
tr:first-child th{white-space:normal;vertical-align:bottom}.sub th{color:var(--fg);padding-top:.7em}
@media (max-width:500px){body{padding:12px}th,td{padding:3px 5px}table{font-size:.8rem}}
.n{text-align:right;font-variant-numeric:tabular-nums}.bar{print-color-adjust:exact;-webkit-print-color-adjust:exact;background:linear-gradient(90deg,var(--bar) var(--s),transparent var(--s))}
tr.chosen td:first-child{box-shadow:inset 3px 0 var(--c0)}.bad{color:var(--c1);font-weight:600;white-space:normal}
details>summary{cursor:pointer;font-weight:600;margin:.7em 0 .3em}
@media print{:root{color-scheme:light;--bg:#fff;--fg:#000;--soft:#444;--rule:#bbb;--panel:#fff;--bar:#dde6ee;
--c0:#0067a8;--c1:#c74f00;--c2:#00805c;--c3:#b5508c;--c4:#a87400;--c5:#3c9bd8;--c6:#6a3d9a;--c7:#7a5c1e;--c8:#3d4650;--c9:#8c96a0}
body{max-width:none;padding:0;font-size:10pt}figure,.tile{border:1px solid var(--rule)}.plots{grid-template-columns:1fr 1fr}
.scroll{overflow:visible}table{font-size:7.5pt}th,td{padding:1px 4px}tr{break-inside:avoid}h2,h3{break-after:avoid}}
)css";

}  // namespace halfbyte
