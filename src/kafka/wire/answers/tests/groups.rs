mod classic;
mod newer;
